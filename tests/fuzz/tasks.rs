//! The facts that a task is shown by: an answer is seen under success only, and a question only under a
//! pause that can be answered (contract 5).

use serde_json::Value;
use skein_results::run::RunStatus;
use skein_results::task::view::{Note, Part, Source, TaskFacts, TaskState, plan_task};

use crate::json::{Json, text};
use crate::near::{Expected, Near};
use crate::target::fuzz;

const SHAPE: Expected = Expected::Name(&["absent", "null", "text", "data", "parts"]);
const FACTS: Expected = Expected::Object(&[
    (
        "status",
        Expected::Name(&[
            "pending",
            "running",
            "success",
            "success",
            "error",
            "timeout",
            "interrupted",
            "interrupted",
            "cancelled",
        ]),
    ),
    ("reply", SHAPE),
    ("values", SHAPE),
    (
        "pause",
        Expected::Name(&["none", "breakpoint", "questions"]),
    ),
    ("thread", Expected::Name(&["at-this-run", "moved-on"])),
]);
const MEMBERS: [(&str, &[&str]); 4] = [
    ("reply", &["absent", "null", "text", "data", "parts"]),
    ("values", &["absent", "null", "text", "data", "parts"]),
    ("pause", &["none", "breakpoint", "questions"]),
    ("thread", &["at-this-run", "moved-on"]),
];

/// The artifact by the names alone.
fn artifact(value: &Value) -> Option<(Source, Part)> {
    [("reply", Source::Reply), ("values", Source::Values)]
        .into_iter()
        .find_map(|(name, source)| {
            let part = match text(value, name)? {
                "null" => Part::WrappedNull,
                "text" => Part::Text,
                "data" => Part::Data,
                "parts" => Part::Parts,
                _absent => return None,
            };
            Some((source, part))
        })
}

#[test]
fn the_facts_of_a_task() {
    let sights = [
        "no JSON",
        "refused",
        "an answer",
        "a question",
        "a failure",
        "nothing",
    ];
    fuzz(
        "the_facts_of_a_task",
        Near(FACTS),
        &sights,
        |given, seen| {
            let Some(Json(value)) = Json::parse(given) else {
                return seen.note("no JSON");
            };
            let status = text(&value, "status").and_then(RunStatus::parse);
            let is_named = |(name, all): &(&str, &[&str])| {
                text(&value, name).is_some_and(|text| all.contains(&text))
            };
            let are_facts = status.is_some() && MEMBERS.iter().all(is_named);
            let Ok(facts) = TaskFacts::of_given(&Json(value.clone()).fields()) else {
                seen.note("refused");
                return assert!(!are_facts);
            };
            assert!(are_facts);
            let plan = plan_task(facts);
            let shown = plan
                .artifact
                .map(|artifact| (artifact.source, artifact.part));
            let is_success = status == Some(RunStatus::Success);
            assert_eq!(shown, if is_success { artifact(&value) } else { None });
            assert_eq!(plan.state == TaskState::Completed, is_success);
            let asks = status == Some(RunStatus::Interrupted)
                && text(&value, "thread") == Some("at-this-run")
                && text(&value, "pause") != Some("none");
            assert_eq!(plan.state == TaskState::InputRequired, asks);
            assert_eq!(
                plan.note == Note::Questions,
                asks && text(&value, "pause") == Some("questions")
            );
            assert_eq!(plan.note == Note::Failure, plan.state == TaskState::Failed);
            seen.note(match (shown, plan.note) {
                (Some(_), _) => "an answer",
                (None, Note::Questions) => "a question",
                (None, Note::Failure) => "a failure",
                (None, Note::None) => "nothing",
            });
        },
    );
}
