//! The result-capture state machine: what the engine's one settle point does, in which order.
//!
//! Contract 3 to 5. The machine takes how an execution ended ([`End`]) and the host's answers
//! ([`HostAnswer`]) and says what to do next ([`Action`]). It performs nothing, knows no clock, and is
//! generic over the result `R`, which it only hands on: a JavaScript handle in the package, a small
//! integer in a model checker.
//!
//! # Invariants
//!
//! - A marked run that ends in success has its result: the result is written with the status in one
//!   write, or before it.
//! - A failed capture never ends in success, and never leaves the run in flight: the machine fails,
//!   and the next end it is given is written without a result.
//! - Re-entry changes nothing: an attempt that has settled answers the status it settled with.
//! - Only a finished execution of a marked run captures. Aborts, timeouts, displacements and errors
//!   carry no result.

use crate::run::RunStatus;

/// Where one execution attempt of a run stands. The host keeps it between the calls of its settle
/// point; it is plain data, so that nothing of a run lives in the WebAssembly instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is settled.
    Open,
    /// The result could not be captured: this attempt can no longer succeed.
    CaptureFailed,
    /// The attempt has settled, and the run row holds this status.
    Settled(RunStatus),
}

impl Phase {
    /// The phase as the host keeps it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::CaptureFailed => "capture-failed",
            Self::Settled(status) => status.as_str(),
        }
    }

    /// The phase of this text. One that is none has settled nothing.
    pub fn parse(text: &str) -> Self {
        match text {
            "capture-failed" => Self::CaptureFailed,
            other => RunStatus::parse(other).map_or(Self::Open, Self::Settled),
        }
    }
}

/// Whether the server marked the run for capture (contract 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Marking {
    /// The run is an A2A task's; its result is captured.
    Marked,
    /// An ordinary run; nothing of it is captured.
    Unmarked,
}

impl Marking {
    /// Only the one word asks for capture.
    pub fn parse(text: &str) -> Self {
        if text == "marked" {
            Self::Marked
        } else {
            Self::Unmarked
        }
    }
}

/// What the host's store offers for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// Result and terminal status in one conditional write (`settleRun`).
    OneWrite,
    /// `recordResult` first, then the host's own status write: the weaker order. A crash between
    /// the two leaves a result on a run in flight, and the re-run keeps it.
    TwoSteps,
    /// No way to record a result.
    Lacking,
}

impl Support {
    /// What is not known is lacking.
    pub fn parse(text: &str) -> Self {
        match text {
            "one-write" => Self::OneWrite,
            "two-steps" => Self::TwoSteps,
            _ => Self::Lacking,
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum End<R> {
    /// The graph ran to its end or to a pause, and its final state is in hand.
    Finished {
        /// Success, or paused.
        status: Finish,
        /// The result to capture.
        result: R,
    },
    /// The execution was stopped: there is no final state, and nothing to capture.
    Stopped(Stop),
}

impl<R> End<R> {
    /// An end that is `finished` or `stopped`, with the status to write; `None` for a status that such an
    /// end does not have.
    pub fn parse(end: &str, status: &str, result: R) -> Option<Self> {
        let finished = |status| Self::Finished { status, result };
        match (end, RunStatus::parse(status)?) {
            ("finished", RunStatus::Success) => Some(finished(Finish::Success)),
            ("finished", RunStatus::Interrupted) => Some(finished(Finish::Interrupted)),
            ("stopped", RunStatus::Error) => Some(Self::Stopped(Stop::Error)),
            ("stopped", RunStatus::Timeout) => Some(Self::Stopped(Stop::Timeout)),
            ("stopped", RunStatus::Interrupted) => Some(Self::Stopped(Stop::Interrupted)),
            ("stopped", RunStatus::Cancelled) => Some(Self::Stopped(Stop::Cancelled)),
            _ => None,
        }
    }
}

/// The statuses that a finished execution may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// It has its answer.
    Success,
    /// It waits for a human, or at a breakpoint.
    Interrupted,
}

/// The statuses that a stopped execution may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// It failed.
    Error,
    /// Its time ran out.
    Timeout,
    /// Another run displaced it.
    Interrupted,
    /// It was cancelled.
    Cancelled,
}

impl Finish {
    /// The run status that this end writes.
    pub const fn status(self) -> RunStatus {
        match self {
            Self::Success => RunStatus::Success,
            Self::Interrupted => RunStatus::Interrupted,
        }
    }
}

impl Stop {
    /// The run status that this end writes.
    pub const fn status(self) -> RunStatus {
        match self {
            Self::Error => RunStatus::Error,
            Self::Timeout => RunStatus::Timeout,
            Self::Interrupted => RunStatus::Interrupted,
            Self::Cancelled => RunStatus::Cancelled,
        }
    }
}

/// The next thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action<R> {
    /// One conditional host call: if the run is in flight, write its terminal status, and the result
    /// where there is one. HostAnswer with [`HostAnswer::Settled`].
    Settle {
        /// The status to write.
        status: RunStatus,
        /// The result to write with it.
        result: Option<R>,
    },
    /// Write the result alone, the first one winning. HostAnswer with [`HostAnswer::Recorded`].
    Record {
        /// The status to write next.
        status: RunStatus,
        /// The result to write now.
        result: R,
    },
    /// The host's own status write. HostAnswer with [`HostAnswer::StatusWritten`].
    WriteStatus(RunStatus),
    /// The attempt is settled; the run row holds this status.
    Done(RunStatus),
    /// The result could not be captured. Tell the engine, which then settles `error`.
    Fail,
    /// A status write failed, which is the host's to handle: nothing was settled by this call.
    Raise,
}

/// What the host call asked for by an [`Action`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostAnswer {
    /// The result is stored, or a first one stood there already.
    Recorded,
    /// The conditional write was made; the row now holds this status, or there is no such run.
    Settled(Option<RunStatus>),
    /// The host wrote the status and knows the effective one, or does not say.
    StatusWritten(Option<RunStatus>),
    /// The host call threw, rejected, or the result could not be serialized.
    Failed,
}

/// What a call is waiting for; kept by the call, not by the attempt, since calls may overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Awaiting {
    /// The one conditional write.
    Settle {
        /// The status asked for.
        status: RunStatus,
        /// Whether a result travels with it.
        capture: Capture,
    },
    /// The write of the result, before this status.
    Record(RunStatus),
    /// The host's write of this status.
    Status(RunStatus),
}

/// Whether a write carries a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capture {
    /// It does.
    WithResult,
    /// It does not.
    StatusOnly,
}

/// Begins a settle: what to do first for an attempt in `phase` whose execution came to `end`.
pub fn begin<R>(phase: Phase, marking: Marking, support: Support, end: End<R>) -> Action<R> {
    let (status, result) = match (phase, end) {
        (Phase::Settled(status), _) => return Action::Done(status),
        (Phase::CaptureFailed, End::Finished { .. }) => return Action::Fail,
        (_, End::Stopped(stop)) => (stop.status(), None),
        (Phase::Open, End::Finished { status, result }) => match marking {
            Marking::Marked => (status.status(), Some(result)),
            Marking::Unmarked => (status.status(), None),
        },
    };
    match (support, result) {
        (Support::OneWrite, result) => Action::Settle { status, result },
        (Support::TwoSteps, Some(result)) => Action::Record { status, result },
        (Support::Lacking, Some(_)) => Action::Fail,
        (Support::TwoSteps | Support::Lacking, None) => Action::WriteStatus(status),
    }
}

/// What an action waits for, or `None` for one that ends the call.
pub const fn awaiting<R>(action: &Action<R>) -> Option<Awaiting> {
    match action {
        Action::Settle { status, result } => Some(Awaiting::Settle {
            status: *status,
            capture: match result {
                Some(_) => Capture::WithResult,
                None => Capture::StatusOnly,
            },
        }),
        Action::Record { status, .. } => Some(Awaiting::Record(*status)),
        Action::WriteStatus(status) => Some(Awaiting::Status(*status)),
        Action::Done(_) | Action::Fail | Action::Raise => None,
    }
}

/// Goes on with a settle after the host answered.
///
/// `phase` is the attempt's phase *now*: another call may have settled it while the host worked, and
/// then that one stands.
pub const fn advance<R>(phase: Phase, awaiting: Awaiting, answer: HostAnswer) -> Action<R> {
    if let Phase::Settled(status) = phase {
        return Action::Done(status);
    }
    match (awaiting, answer) {
        (Awaiting::Record(status), HostAnswer::Recorded) => match phase {
            Phase::CaptureFailed => Action::Fail,
            Phase::Open | Phase::Settled(_) => Action::WriteStatus(status),
        },
        (Awaiting::Settle { status, .. }, HostAnswer::Settled(effective))
        | (Awaiting::Status(status), HostAnswer::StatusWritten(effective)) => {
            Action::Done(match effective {
                Some(effective) => effective,
                None => status,
            })
        }
        (
            Awaiting::Record(_)
            | Awaiting::Settle {
                capture: Capture::WithResult,
                ..
            },
            _,
        ) => Action::Fail,
        (
            Awaiting::Settle {
                capture: Capture::StatusOnly,
                ..
            }
            | Awaiting::Status(_),
            _,
        ) => Action::Raise,
    }
}

/// The attempt's phase once `action` is known.
pub const fn phase_after<R>(phase: Phase, action: &Action<R>) -> Phase {
    match (phase, action) {
        (Phase::Settled(_), _) => phase,
        (_, Action::Done(status)) => Phase::Settled(*status),
        (_, Action::Fail) => Phase::CaptureFailed,
        (
            _,
            Action::Settle { .. } | Action::Record { .. } | Action::WriteStatus(_) | Action::Raise,
        ) => phase,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINISHED: End<u8> = End::Finished {
        status: Finish::Success,
        result: 7,
    };

    #[test]
    fn a_marked_run_settles_in_one_write_where_the_store_offers_it() {
        let action = begin(Phase::Open, Marking::Marked, Support::OneWrite, FINISHED);
        assert_eq!(
            action,
            Action::Settle {
                status: RunStatus::Success,
                result: Some(7)
            }
        );
    }

    #[test]
    fn a_marked_run_records_before_its_status_where_the_store_has_two_steps() {
        let action = begin(Phase::Open, Marking::Marked, Support::TwoSteps, FINISHED);
        assert_eq!(
            action,
            Action::Record {
                status: RunStatus::Success,
                result: 7
            }
        );
        let next: Action<u8> = advance(
            Phase::Open,
            Awaiting::Record(RunStatus::Success),
            HostAnswer::Recorded,
        );
        assert_eq!(next, Action::WriteStatus(RunStatus::Success));
    }

    #[test]
    fn an_unmarked_run_is_never_captured() {
        for support in [Support::OneWrite, Support::TwoSteps, Support::Lacking] {
            let action = begin(Phase::Open, Marking::Unmarked, support, FINISHED);
            assert!(matches!(
                action,
                Action::Settle { result: None, .. } | Action::WriteStatus(RunStatus::Success)
            ));
        }
    }

    #[test]
    fn a_stopped_run_captures_nothing() {
        for stop in [
            Stop::Error,
            Stop::Timeout,
            Stop::Interrupted,
            Stop::Cancelled,
        ] {
            for phase in [Phase::Open, Phase::CaptureFailed] {
                let action: Action<u8> = begin(
                    phase,
                    Marking::Marked,
                    Support::OneWrite,
                    End::Stopped(stop),
                );
                assert_eq!(
                    action,
                    Action::Settle {
                        status: stop.status(),
                        result: None
                    }
                );
            }
        }
    }

    #[test]
    fn a_failed_capture_can_only_end_by_being_stopped() {
        let failed: Action<u8> = advance(
            Phase::Open,
            Awaiting::Settle {
                status: RunStatus::Success,
                capture: Capture::WithResult,
            },
            HostAnswer::Failed,
        );
        assert_eq!(failed, Action::Fail);
        let phase = phase_after(Phase::Open, &failed);
        assert_eq!(
            begin(phase, Marking::Marked, Support::OneWrite, FINISHED),
            Action::Fail
        );
        let stopped: Action<u8> = begin(
            phase,
            Marking::Marked,
            Support::TwoSteps,
            End::Stopped(Stop::Error),
        );
        assert_eq!(stopped, Action::WriteStatus(RunStatus::Error));
    }

    #[test]
    fn re_entry_answers_the_status_that_stands() {
        let phase = Phase::Settled(RunStatus::Cancelled);
        for support in [Support::OneWrite, Support::TwoSteps, Support::Lacking] {
            assert_eq!(
                begin(phase, Marking::Marked, support, FINISHED),
                Action::Done(RunStatus::Cancelled)
            );
            assert_eq!(
                begin::<u8>(phase, Marking::Marked, support, End::Stopped(Stop::Error)),
                Action::Done(RunStatus::Cancelled)
            );
        }
    }

    #[test]
    fn a_call_that_another_one_overtook_writes_no_status() {
        let overtaken: Action<u8> = advance(
            Phase::Settled(RunStatus::Timeout),
            Awaiting::Record(RunStatus::Success),
            HostAnswer::Recorded,
        );
        assert_eq!(overtaken, Action::Done(RunStatus::Timeout));
    }

    #[test]
    fn the_effective_status_of_the_row_is_the_answer() {
        let lost: Action<u8> = advance(
            Phase::Open,
            Awaiting::Settle {
                status: RunStatus::Success,
                capture: Capture::WithResult,
            },
            HostAnswer::Settled(Some(RunStatus::Cancelled)),
        );
        assert_eq!(lost, Action::Done(RunStatus::Cancelled));
        let gone: Action<u8> = advance(
            Phase::Open,
            Awaiting::Settle {
                status: RunStatus::Success,
                capture: Capture::WithResult,
            },
            HostAnswer::Settled(None),
        );
        assert_eq!(gone, Action::Done(RunStatus::Success));
    }

    #[test]
    fn a_failed_status_write_is_the_hosts_to_handle_and_settles_nothing() {
        let raised: Action<u8> = advance(
            Phase::Open,
            Awaiting::Status(RunStatus::Error),
            HostAnswer::Failed,
        );
        assert_eq!(raised, Action::Raise);
        assert_eq!(phase_after(Phase::Open, &raised), Phase::Open);
    }

    #[test]
    fn a_marked_run_on_a_store_without_results_cannot_succeed() {
        assert_eq!(
            begin(Phase::Open, Marking::Marked, Support::Lacking, FINISHED),
            Action::Fail
        );
    }
}
