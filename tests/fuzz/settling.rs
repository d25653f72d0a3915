//! The words that a settle is told with: what is not the one word asks for no capture, and an attempt
//! keeps its phase from call to call (contract 4 and 5).

use skein_results::result::capture::{
    Action, End, Finish, Marking, Phase, Support, awaiting, begin,
};
use skein_results::run::RunStatus;

use crate::json::{Json, text};
use crate::near::{Expected, Near};
use crate::target::fuzz;

const SETTLING: Expected = Expected::Object(&[
    (
        "marking",
        Expected::Name(&["marked", "marked", "unmarked", "Marked", "marked ", ""]),
    ),
    (
        "support",
        Expected::Name(&["one-write", "two-steps", "lacking", "one_write", ""]),
    ),
    (
        "phase",
        Expected::Name(&["open", "open", "capture-failed", "success", "cancelled", ""]),
    ),
    (
        "end",
        Expected::Name(&["finished", "finished", "stopped", "ended"]),
    ),
    (
        "status",
        Expected::Name(&[
            "success",
            "interrupted",
            "error",
            "timeout",
            "cancelled",
            "pending",
            "running",
            "Success",
        ]),
    ),
]);

/// The ends that there are.
const ENDS: [(&str, &str); 6] = [
    ("finished", "success"),
    ("finished", "interrupted"),
    ("stopped", "error"),
    ("stopped", "timeout"),
    ("stopped", "interrupted"),
    ("stopped", "cancelled"),
];

#[test]
fn the_words_of_a_settle() {
    let sights = [
        "refused",
        "captures",
        "captures nothing",
        "fails",
        "settled before",
    ];
    fuzz(
        "the_words_of_a_settle",
        Near(SETTLING),
        &sights,
        |given, seen| {
            let Some(Json(given)) = Json::parse(given) else {
                return;
            };
            let word = |name| text(&given, name).unwrap_or_default();
            let (end, status) = (word("end"), word("status"));
            let parsed = End::parse(end, status, "the result");
            assert_eq!(parsed.is_some(), ENDS.contains(&(end, status)));
            let phase = Phase::parse(word("phase"));
            assert_eq!(Phase::parse(phase.as_str()), phase);
            assert!(phase == Phase::Open || phase.as_str() == word("phase"));
            let Some(parsed) = parsed else {
                return seen.note("refused");
            };
            let is_finished = end == "finished";
            let finish = match &parsed {
                End::Finished { status, .. } => Some(*status),
                End::Stopped(stop) => {
                    assert_eq!(stop.status().as_str(), status);
                    None
                }
            };
            assert_eq!(finish.is_some(), is_finished);
            assert_eq!(finish == Some(Finish::Success), status == "success");
            let marking = Marking::parse(word("marking"));
            let support = Support::parse(word("support"));
            let action = begin(phase, marking, support, parsed);
            if let Phase::Settled(settled) = phase {
                seen.note("settled before");
                assert_eq!(settled.as_str(), word("phase"));
                return assert_eq!(action, Action::Done(settled));
            }
            let captures = match &action {
                Action::Settle { result, .. } => result.is_some(),
                Action::Record { .. } => true,
                Action::WriteStatus(_) | Action::Done(_) | Action::Fail | Action::Raise => false,
            };
            let is_marked = word("marking") == "marked" && is_finished;
            let can_capture = word("phase") != "capture-failed"
                && ["one-write", "two-steps"].contains(&word("support"));
            assert_eq!(captures, is_marked && can_capture);
            seen.note(match (captures, &action) {
                (true, _) => "captures",
                (false, Action::Fail) => "fails",
                (false, _) => "captures nothing",
            });
            // A capture that cannot be made never ends in success.
            if is_marked && !can_capture {
                assert!(!matches!(
                    action,
                    Action::WriteStatus(RunStatus::Success)
                        | Action::Settle {
                            status: RunStatus::Success,
                            ..
                        }
                ));
            }
            assert_eq!(awaiting(&action).is_none(), action == Action::Fail);
        },
    );
}
