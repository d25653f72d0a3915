//! What is true of every run at every moment, whatever happens in which order.
//!
//! These are the promises of the package as predicates over what can be seen: a run's row and its
//! result, before and after one step, and what an execution attempt asks of the store. The explorer
//! (`tests/explore`) evaluates them after every step of every interleaving; the crash and the race
//! tests of the harness evaluate the same sentences on real databases.

use crate::result::capture::{Action, Marking, Phase};
use crate::run::{RunStatus, StatusOutcome};
use crate::task::view::{Pause, TaskPlan, TaskState};

/// A promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Contract 3 and 4.
    SuccessHasResult,
    /// Contract 2.
    ResultStays,
    /// Contract 5.
    CompletedIsSuccess,
    /// Contract 5.
    ArtifactOnlyOfSuccess,
    /// Contract 8.
    ErasedHasNothing,
    /// Contract 3.
    FailedCaptureEnds,
    /// Contract 4.
    ReentryChangesNothing,
    /// Contract 5.
    AttemptKnowsTheEnd,
    /// Contract 4 and 5.
    LoserWritesNothing,
    /// A2A 7 and 9 of the adapter's rules.
    OneEnd,
    /// A2A 7 of the adapter's rules.
    TaskEndsForEver,
    /// Contract 12.
    OneContinuation,
    /// Contract 4, where a store settles in one write.
    NeverApart,
    /// Contract 9.
    OwnCheckpoint,
    /// Contract 7, 9 and 11.
    OwnTask,
    /// Contract 12.
    ExactPause,
}

impl Invariant {
    /// Every promise.
    pub const ALL: [Self; 16] = [
        Self::SuccessHasResult,
        Self::ResultStays,
        Self::CompletedIsSuccess,
        Self::ArtifactOnlyOfSuccess,
        Self::ErasedHasNothing,
        Self::FailedCaptureEnds,
        Self::ReentryChangesNothing,
        Self::AttemptKnowsTheEnd,
        Self::LoserWritesNothing,
        Self::OneEnd,
        Self::TaskEndsForEver,
        Self::OneContinuation,
        Self::NeverApart,
        Self::OwnCheckpoint,
        Self::OwnTask,
        Self::ExactPause,
    ];

    /// The promise as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::SuccessHasResult => "a marked run that is seen as success has its result",
            Self::ResultStays => "a result never changes until its run is erased",
            Self::CompletedIsSuccess => {
                "a task is shown completed exactly under an effective success"
            }
            Self::ArtifactOnlyOfSuccess => {
                "a cancellation that won, like any other end but success, shows no artifact"
            }
            Self::ErasedHasNothing => "an erased run has no result and takes none",
            Self::FailedCaptureEnds => {
                "a failed capture never ends in success and can always be ended"
            }
            Self::ReentryChangesNothing => {
                "an attempt that has settled asks nothing more of the store"
            }
            Self::AttemptKnowsTheEnd => {
                "the status that an attempt was told is the one that its run has"
            }
            Self::LoserWritesNothing => {
                "a conditional write that lost has written neither status nor result"
            }
            Self::OneEnd => "a run ends once, but for a pause that is then cancelled",
            Self::TaskEndsForEver => "a task that has ended is never seen in another state",
            Self::OneContinuation => "of several answers to a pause one is admitted",
            Self::NeverApart => {
                "in one write a result is never seen without the status that came with it"
            }
            Self::OwnCheckpoint => {
                "the checkpoint of a captured result lies on the thread of its run"
            }
            Self::OwnTask => "a mark names a task on the thread of its run",
            Self::ExactPause => {
                "an answer begins only at the pause that it answers, while that is the thread's state"
            }
        }
    }
}

/// A run as it can be seen at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a, T> {
    /// Whether the server marked the run.
    pub marking: Marking,
    /// The status of its row.
    pub status: RunStatus,
    /// Its result.
    pub result: Option<&'a T>,
    /// What of the result can be resumed from.
    pub pause: Pause,
    /// How it is shown.
    pub shown: TaskPlan,
}

/// The promises that a run breaks as it is seen at one moment.
pub fn broken_at<T>(run: &Seen<'_, T>) -> impl Iterator<Item = Invariant> + use<T> {
    let succeeded = run.status == RunStatus::Success;
    let unkept = succeeded && run.marking == Marking::Marked && run.result.is_none();
    let completed = (run.shown.state == TaskState::Completed) != succeeded;
    let artifact = run.shown.artifact.is_some() && !succeeded;
    listed([
        (unkept, Invariant::SuccessHasResult),
        (completed, Invariant::CompletedIsSuccess),
        (artifact, Invariant::ArtifactOnlyOfSuccess),
    ])
}

/// Whether a captured result is seen apart from its status, on a store that settles in one write.
///
/// `captured` says that the result was written by a settle, not attached by an import.
pub fn is_apart<T>(run: &Seen<'_, T>, captured: bool) -> bool {
    let with_result = matches!(run.status, RunStatus::Success | RunStatus::Interrupted);
    let given_up = run.status == RunStatus::Cancelled && run.pause != Pause::None;
    captured && run.result.is_some() && !with_result && !given_up
}

/// Whether something that a run names lies on another thread than the run itself; `None` for what is
/// not there.
pub fn is_astray<Id: PartialEq>(thread: &Id, named: Option<&Id>) -> bool {
    named.is_some_and(|named| named != thread)
}

/// Whether an answer does not meet the pause that it answers: the paused run's status, the checkpoint
/// that it paused at, and the newest one of its thread.
pub fn misses_the_pause<Id: PartialEq>(
    paused: Option<RunStatus>,
    checkpoint: &Id,
    tip: &Id,
) -> bool {
    paused != Some(RunStatus::Interrupted) || checkpoint != tip
}

/// How a run may come to be in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Birth {
    /// No run is created.
    None,
    /// Runs are created, without results.
    Created,
    /// Runs are copied or imported, each with its result in the same step.
    WithResult,
}

/// The promises that one step breaks, from what is seen of a run before and after it.
pub fn broken_by<T: PartialEq>(
    before: Option<&Seen<'_, T>>,
    after: Option<&Seen<'_, T>>,
    birth: Birth,
) -> impl Iterator<Item = Invariant> + use<T> {
    let [mut came_back, mut changed, mut ended_again] = [false; 3];
    match (before, after) {
        (None, Some(after)) => {
            came_back = match birth {
                Birth::None => true,
                Birth::Created => after.result.is_some(),
                Birth::WithResult => false,
            };
        }
        (Some(before), Some(after)) => {
            changed = before.result.is_some() && before.result != after.result;
            let given_up = before.status == RunStatus::Interrupted
                && before.pause != Pause::None
                && after.status == RunStatus::Cancelled;
            ended_again = before.status.is_terminal() && before.status != after.status && !given_up;
        }
        (_, None) => {}
    }
    listed([
        (came_back, Invariant::ErasedHasNothing),
        (changed, Invariant::ResultStays),
        (ended_again, Invariant::OneEnd),
    ])
}

/// Whether a task that had ended is seen in another state, from its last run before and after a step.
///
/// A run that has ended other than paused ends its task. A pause that the thread has moved on from is
/// shown as canceled too, but that is written only when a later run starts: if that run is erased
/// before, the pause is open again.
pub fn has_come_back<T>(before: &Seen<'_, T>, after: &Seen<'_, T>) -> bool {
    let paused = before.status == RunStatus::Interrupted && before.pause != Pause::None;
    before.status.is_terminal() && !paused && before.shown.state != after.shown.state
}

/// Which kind of end an attempt is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A finished execution, with a result.
    Finished,
    /// A stopped one.
    Stopped,
    /// None: the host has answered.
    Answer,
}

/// The promise that an attempt breaks by what it asks of the host in this phase.
pub fn broken_asking<R>(phase: Phase, given: Given, action: &Action<R>) -> Option<Invariant> {
    let writes_success = match action {
        Action::Settle { status, result } => *status == RunStatus::Success || result.is_some(),
        Action::Record { .. } => true,
        Action::WriteStatus(status) => *status == RunStatus::Success,
        Action::Done(_) | Action::Fail | Action::Raise => false,
    };
    match phase {
        Phase::Settled(status) => match action {
            Action::Done(told) if *told == status => None,
            _ => Some(Invariant::ReentryChangesNothing),
        },
        Phase::CaptureFailed if writes_success => Some(Invariant::FailedCaptureEnds),
        Phase::CaptureFailed | Phase::Open => match (given, action) {
            (Given::Stopped, Action::Fail) => Some(Invariant::FailedCaptureEnds),
            _ => None,
        },
    }
}

/// Whether an attempt that has settled was told what the row of its run says: the same status, or a
/// pause that has been cancelled since.
pub const fn knows_the_end(told: RunStatus, row: RunStatus) -> bool {
    matches!(
        (told, row),
        (RunStatus::Success, RunStatus::Success)
            | (RunStatus::Error, RunStatus::Error)
            | (RunStatus::Timeout, RunStatus::Timeout)
            | (RunStatus::Cancelled, RunStatus::Cancelled)
            | (
                RunStatus::Interrupted,
                RunStatus::Interrupted | RunStatus::Cancelled
            )
    )
}

/// Whether a conditional write that lost has written something.
pub fn wrote_and_lost<Row: PartialEq>(ended: StatusOutcome, before: &Row, after: &Row) -> bool {
    matches!(ended, StatusOutcome::Lost(_)) && before != after
}

fn listed<const N: usize>(broken: [(bool, Invariant); N]) -> impl Iterator<Item = Invariant> {
    broken
        .into_iter()
        .filter_map(|(is_broken, invariant)| is_broken.then_some(invariant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::end_run;
    use crate::task::view::{Shape, TaskFacts, Thread, plan_task};

    const RESULT: u8 = 7;

    fn seen(status: RunStatus, result: Option<&u8>, pause: Pause) -> Seen<'_, u8> {
        let values = result.map_or(Shape::Absent, |_| Shape::Data);
        let facts = TaskFacts {
            status,
            reply: Shape::Absent,
            values,
            pause,
            thread: Thread::AtThisRun,
        };
        Seen {
            marking: Marking::Marked,
            status,
            result,
            pause,
            shown: plan_task(facts),
        }
    }

    fn by_step(
        before: Option<Seen<'_, u8>>,
        after: Option<Seen<'_, u8>>,
        birth: Birth,
    ) -> Vec<Invariant> {
        broken_by(before.as_ref(), after.as_ref(), birth).collect()
    }

    #[test]
    fn a_marked_success_without_a_result_is_seen() {
        let bare = seen(RunStatus::Success, None, Pause::None);
        assert_eq!(
            broken_at(&bare).collect::<Vec<_>>(),
            [Invariant::SuccessHasResult]
        );
        let ordinary = Seen {
            marking: Marking::Unmarked,
            ..bare
        };
        assert_eq!(broken_at(&ordinary).count(), 0);
        let kept = seen(RunStatus::Success, Some(&RESULT), Pause::None);
        assert_eq!(broken_at(&kept).count(), 0);
    }

    #[test]
    fn a_task_that_is_shown_as_something_else_is_seen() {
        let shown = seen(RunStatus::Success, Some(&RESULT), Pause::None).shown;
        let cancelled = Seen {
            shown,
            ..seen(RunStatus::Cancelled, Some(&RESULT), Pause::None)
        };
        assert_eq!(
            broken_at(&cancelled).collect::<Vec<_>>(),
            [
                Invariant::CompletedIsSuccess,
                Invariant::ArtifactOnlyOfSuccess
            ]
        );
    }

    #[test]
    fn a_run_that_comes_back_is_seen() {
        let pending = seen(RunStatus::Pending, None, Pause::None);
        let written = seen(RunStatus::Pending, Some(&RESULT), Pause::None);
        let erased = [Invariant::ErasedHasNothing];
        assert_eq!(by_step(None, Some(pending), Birth::None), erased);
        assert_eq!(by_step(None, Some(written), Birth::Created), erased);
        assert_eq!(by_step(None, Some(pending), Birth::Created), []);
        assert_eq!(by_step(None, Some(written), Birth::WithResult), []);
        assert_eq!(by_step(Some(written), None, Birth::None), []);
    }

    #[test]
    fn a_result_that_changes_or_goes_is_seen() {
        let first = seen(RunStatus::Success, Some(&RESULT), Pause::None);
        let second = seen(RunStatus::Success, Some(&8), Pause::None);
        let none = seen(RunStatus::Success, None, Pause::None);
        assert_eq!(
            by_step(Some(first), Some(second), Birth::None),
            [Invariant::ResultStays]
        );
        assert_eq!(
            by_step(Some(first), Some(none), Birth::None),
            [Invariant::ResultStays]
        );
        assert_eq!(by_step(Some(none), Some(first), Birth::None), []);
    }

    #[test]
    fn a_second_end_is_seen_but_for_a_pause_that_is_cancelled() {
        let pauses = [Pause::None, Pause::Questions];
        for before in RunStatus::ALL
            .into_iter()
            .filter(|status| status.is_terminal())
        {
            for after in RunStatus::ALL {
                for pause in pauses {
                    let step = by_step(
                        Some(seen(before, Some(&RESULT), pause)),
                        Some(seen(after, Some(&RESULT), pause)),
                        Birth::None,
                    );
                    let given_up = before == RunStatus::Interrupted
                        && after == RunStatus::Cancelled
                        && pause != Pause::None;
                    assert_eq!(step.is_empty(), before == after || given_up);
                }
            }
        }
    }

    #[test]
    fn a_result_apart_from_its_status_is_seen() {
        for status in RunStatus::ALL {
            let apart = is_apart(&seen(status, Some(&RESULT), Pause::None), true);
            let together = matches!(status, RunStatus::Success | RunStatus::Interrupted);
            assert_eq!(apart, !together);
            assert!(!is_apart(&seen(status, Some(&RESULT), Pause::None), false));
            assert!(!is_apart(&seen(status, None, Pause::None), true));
        }
        let given_up = seen(RunStatus::Cancelled, Some(&RESULT), Pause::Breakpoint);
        assert!(!is_apart(&given_up, true));
    }

    #[test]
    fn what_lies_on_another_thread_is_seen() {
        assert!(is_astray(&1, Some(&2)));
        assert!(!is_astray(&1, Some(&1)));
        assert!(!is_astray(&1, None));
    }

    #[test]
    fn an_answer_that_misses_its_pause_is_seen() {
        let paused = Some(RunStatus::Interrupted);
        assert!(!misses_the_pause(paused, &1, &1));
        assert!(misses_the_pause(paused, &1, &2));
        assert!(misses_the_pause(Some(RunStatus::Cancelled), &1, &1));
        assert!(misses_the_pause(None, &1, &1));
    }

    #[test]
    fn a_task_that_comes_back_is_seen() {
        let working = seen(RunStatus::Running, None, Pause::None);
        for status in RunStatus::ALL {
            let before = seen(status, Some(&RESULT), Pause::None);
            assert!(!has_come_back(&before, &before));
            assert_eq!(has_come_back(&before, &working), status.is_terminal());
        }
        let paused = seen(RunStatus::Interrupted, Some(&RESULT), Pause::Questions);
        assert!(!has_come_back(&paused, &working));
    }

    #[test]
    fn what_an_attempt_must_not_ask_is_seen() {
        let settled = Phase::Settled(RunStatus::Error);
        let told = |status| broken_asking(settled, Given::Stopped, &Action::<u8>::Done(status));
        assert_eq!(told(RunStatus::Error), None);
        assert_eq!(
            told(RunStatus::Success),
            Some(Invariant::ReentryChangesNothing)
        );
        let error = Action::<u8>::WriteStatus(RunStatus::Error);
        let success = Action::<u8>::WriteStatus(RunStatus::Success);
        let record = Action::Record {
            status: RunStatus::Error,
            result: RESULT,
        };
        let with_result = Action::Settle {
            status: RunStatus::Interrupted,
            result: Some(RESULT),
        };
        let bare = Action::<u8>::Settle {
            status: RunStatus::Error,
            result: None,
        };
        let asking =
            |action: &Action<u8>| broken_asking(Phase::CaptureFailed, Given::Stopped, action);
        for refused in [&success, &record, &with_result, &Action::Fail] {
            assert_eq!(asking(refused), Some(Invariant::FailedCaptureEnds));
        }
        for allowed in [&error, &bare] {
            assert_eq!(asking(allowed), None);
        }
        let fails = |given| broken_asking(Phase::Open, given, &Action::<u8>::Fail);
        assert_eq!(fails(Given::Finished), None);
        assert_eq!(fails(Given::Stopped), Some(Invariant::FailedCaptureEnds));
        assert_eq!(broken_asking(Phase::Open, Given::Answer, &success), None);
    }

    #[test]
    fn an_attempt_that_was_told_something_else_is_seen() {
        for told in RunStatus::ALL {
            for row in RunStatus::ALL {
                let given_up = told == RunStatus::Interrupted && row == RunStatus::Cancelled;
                let known = told.is_terminal() && (told == row || given_up);
                assert_eq!(knows_the_end(told, row), known);
            }
        }
    }

    #[test]
    fn a_loser_that_writes_is_seen() {
        let lost = end_run(RunStatus::Cancelled, RunStatus::Success);
        assert!(wrote_and_lost(lost, &1, &2));
        assert!(!wrote_and_lost(lost, &1, &1));
        assert!(!wrote_and_lost(
            end_run(RunStatus::Running, RunStatus::Success),
            &1,
            &2
        ));
    }

    #[test]
    fn every_promise_is_another_sentence() {
        let sentences: std::collections::BTreeSet<_> = Invariant::ALL
            .map(Invariant::sentence)
            .into_iter()
            .collect();
        assert_eq!(sentences.len(), Invariant::ALL.len());
    }
}
