//! Checkpoints: a copy moves only the coordinate of the thread, and only the exact checkpoint that is
//! the tip is resumed from (contract 9 and 12).

use serde_json::Value;
use skein_results::error::{Detail, Error, ErrorCode};
use skein_results::result::copy::{Coordinate, coordinate};
use skein_results::run::RunStatus;
use skein_results::task::resume::{
    Begin, Refusal, Resume, ResumeAnswer, ResumeFacts, begin_resume, plan_resume,
};
use skein_results::task::view::Thread;

use crate::json::{Json, text};
use crate::near::{Expected, Id, Near};
use crate::target::fuzz;

const CHECKPOINT: Expected = Expected::Object(&[
    ("thread_id", Expected::Id),
    ("checkpoint_ns", Expected::Text),
    ("checkpoint_id", Expected::Id),
    (
        "checkpoint_map",
        Expected::Object(&[("thread_id", Expected::Id), ("", Expected::Id)]),
    ),
]);

/// The text of a copied checkpoint, as the boundary makes it.
fn copied(checkpoint: &str, source: &str, target: &str) -> Option<String> {
    let mut value = Json::parse(checkpoint)?.0;
    let current = text(&value, "thread_id").map(str::to_owned);
    match coordinate(current.as_deref(), source, target) {
        Coordinate::Keep => Some(checkpoint.to_owned()),
        Coordinate::Move(thread) => {
            value
                .as_object_mut()?
                .insert("thread_id".to_owned(), thread.into());
            Some(value.to_string())
        }
    }
}

#[test]
fn a_copied_checkpoint() {
    let sights = ["no JSON", "moved", "kept"];
    let inputs = (Near(CHECKPOINT), Id, Id);
    fuzz(
        "a_copied_checkpoint",
        inputs,
        &sights,
        |(checkpoint, source, target), seen| {
            let Some(copy) = copied(checkpoint, source, target) else {
                return seen.note("no JSON");
            };
            let (Json(before), Json(after)) = (
                Json::parse(checkpoint).unwrap(),
                Json::parse(&copy).unwrap(),
            );
            if text(&before, "thread_id") == Some(*source) {
                seen.note("moved");
                assert_eq!(text(&after, "thread_id"), Some(*target));
                assert_eq!(others(&after), others(&before), "nothing else changes");
                let back = copied(&copy, target, source).unwrap();
                assert_eq!(Json::parse(&back), Some(Json(before)));
            } else {
                seen.note("kept");
                assert_eq!(&copy, checkpoint, "not a byte changes");
            }
            if source != target {
                assert_eq!(
                    copied(&copy, source, target),
                    Some(copy.clone()),
                    "once is enough"
                );
            }
        },
    );
}

fn others(checkpoint: &Value) -> Vec<(&String, &Value)> {
    let members = checkpoint.as_object().unwrap().iter();
    members.filter(|(name, _)| *name != "thread_id").collect()
}

/// Most of them are as a pause has them that can be answered.
const FACTS: Expected = Expected::Object(&[
    ("status", STATUS),
    ("movedOn", Expected::Mostly("false", &["true"])),
    ("thread", THREAD),
    (
        "paused",
        Expected::Object(&[("thread", THREAD), ("checkpoint", AT)]),
    ),
    ("exact", AT),
    ("tip", AT),
    ("pending", Expected::List(&Expected::Id)),
    ("asked", Expected::Maybe(&Expected::List(&Expected::Id))),
    ("named", Expected::Maybe(&Expected::List(&Expected::Id))),
]);
const STATUS: Expected = Expected::Mostly(
    "\"interrupted\"",
    &["\"success\"", "\"running\"", "\"paused\""],
);
const THREAD: Expected = Expected::Mostly("\"t\"", &["\"s\"", "\"\""]);
const AT: Expected = Expected::Mostly("\"c\"", &["\"d\"", "\"\"", "null"]);

/// What an answer does, by the contract alone: `None` for facts that are none.
fn demanded(value: &Value) -> Option<Option<Resume>> {
    let at = |of: &Value, name: &str| match of.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(text)) => Some(Some(text.clone())),
        Some(_) => None,
    };
    let status = text(value, "status")?;
    if RunStatus::ALL.iter().all(|known| known.as_str() != status) {
        return None;
    }
    let moved_on = value.get("movedOn")?.as_bool()?;
    let thread = text(value, "thread")?;
    let paused = match value.get("paused") {
        None | Some(Value::Null) => None,
        Some(paused) => Some((text(paused, "thread")?, text(paused, "checkpoint")?)),
    };
    let (exact, tip) = (at(value, "exact")?, at(value, "tip")?);
    let ids = |of: &'_ Value| -> Option<Vec<Option<String>>> {
        let ids = of.as_array()?.iter();
        Some(ids.map(|id| id.as_str().map(str::to_owned)).collect())
    };
    let pending = ids(value.get("pending")?)?;
    let asked = match value.get("asked") {
        None | Some(Value::Null) => None,
        Some(asked) => Some(ids(asked)?),
    };
    let named = match value.get("named") {
        None | Some(Value::Null) => None,
        Some(named) => Some(
            named
                .as_array()?
                .iter()
                .map(Value::as_str)
                .collect::<Option<Vec<_>>>()?,
        ),
    };
    let is_current = status == "interrupted"
        && !moved_on
        && paused.is_some_and(|(on, checkpoint)| {
            let is_there = |found: &Option<String>| found.as_deref() == Some(checkpoint);
            on == thread && !checkpoint.is_empty() && is_there(&exact) && is_there(&tip)
        });
    let times = |list: &[Option<String>], id: &Option<String>| {
        list.iter().filter(|other| *other == id).count()
    };
    let is_same = asked.is_none_or(|asked| {
        let both = || asked.iter().chain(&pending);
        both().all(|id| times(&asked, id) == times(&pending, id))
    });
    if !is_current || !is_same {
        return Some(None);
    }
    let asked = |id: &str| times(&pending, &Some(id.to_owned()));
    Some(match (named, pending.as_slice()) {
        (None, []) => Some(Resume::Continue),
        (None, [Some(id)]) => Some(Resume::Answer(id.clone())),
        (None, _) => None,
        (Some(named), _) => {
            let once = |id: &&str| named.iter().filter(|other| *other == id).count() == 1;
            let all = named.iter().all(|id| once(id) && asked(id) == 1);
            (all && !named.is_empty()).then_some(Resume::Answers)
        }
    })
}

#[test]
fn an_answer_to_a_pause() {
    let sights = [
        "no JSON",
        "no facts",
        "refused",
        "goes on",
        "one answer",
        "named answers",
    ];
    fuzz(
        "an_answer_to_a_pause",
        (Near(FACTS), 0_u8..4),
        &sights,
        |(given, place), seen| {
            // An id that all agree on, and that is none.
            let is_empty = *place == 0;
            let given = given.replace("\"c\"", if is_empty { "\"\"" } else { "\"c\"" });
            let Some(json) = Json::parse(&given) else {
                return seen.note("no JSON");
            };
            let read = || {
                Some((
                    ResumeFacts::of_given(&json.fields()).ok()?,
                    ResumeAnswer::of_given(&json.fields()).ok()?,
                ))
            };
            let demanded = demanded(&json.0);
            let Some((facts, answer)) = read() else {
                seen.note("no facts");
                return assert_eq!(demanded, None);
            };
            let planned = plan_resume(&facts, &answer);
            assert_eq!(demanded, Some(planned.clone().ok()));
            match planned {
                Err(refusal) => {
                    seen.note("refused");
                    demand_told(refusal);
                }
                Ok(resume) => {
                    seen.note(match resume {
                        Resume::Continue => "goes on",
                        Resume::Answer(_) => "one answer",
                        Resume::Answers => "named answers",
                    });
                    assert_eq!(facts.thread_at, Thread::AtThisRun);
                    // What is admitted begins with an answer if nothing happens in between.
                    let checkpoint = facts.paused.unwrap().checkpoint;
                    let tip = facts.saved.tip.as_deref();
                    let begun = begin_resume(Some(facts.status), &checkpoint, tip, None);
                    assert_eq!(begun, Ok(Begin::Answer));
                }
            }
        },
    );
}

fn demand_told(refusal: Refusal) {
    let error = Error::from(refusal);
    assert_eq!(error.code(), ErrorCode::ResumeRefused);
    let reason = Detail::Text(refusal.as_str().to_owned());
    assert_eq!(error.details(), &[("reason", reason)]);
}

const BEGINNING: Expected = Expected::Object(&[
    ("paused", STATUS),
    ("checkpoint", AT),
    (
        "tip",
        Expected::Mostly("\"c\"", &["\"d\"", "\"e\"", "null"]),
    ),
    ("base", Expected::Maybe(&AT)),
]);

#[test]
fn the_beginning_of_a_continuation() {
    let sights = ["answers", "goes on", "refused", "no status"];
    fuzz(
        "the_beginning_of_a_continuation",
        Near(BEGINNING),
        &sights,
        |given, seen| {
            let Some(Json(given)) = Json::parse(given) else {
                return;
            };
            let Some(checkpoint) = text(&given, "checkpoint") else {
                return;
            };
            let paused = match text(&given, "paused").map(RunStatus::parse) {
                Some(None) => return seen.note("no status"),
                paused => paused.flatten(),
            };
            let (tip, base) = (text(&given, "tip"), text(&given, "base"));
            let is_tip = tip == Some(checkpoint);
            match begin_resume(paused, checkpoint, tip, base) {
                Ok(Begin::Answer) => {
                    seen.note("answers");
                    assert!(is_tip && paused == Some(RunStatus::Interrupted));
                }
                // Only the attempt that began here has got further.
                Ok(Begin::GoOn) => {
                    seen.note("goes on");
                    assert!(!is_tip && base == Some(checkpoint));
                }
                Err(refusal) => {
                    seen.note("refused");
                    assert!(is_tip || base != Some(checkpoint));
                    assert!(!is_tip || paused != Some(RunStatus::Interrupted));
                    demand_told(refusal);
                }
            }
        },
    );
}
