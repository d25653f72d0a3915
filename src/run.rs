//! What a run's status means: which ones are final, and which one a run *really* ended with.
//!
//! Contract 5: everything that is shown follows the effective terminal status, the one that the run
//! row ended with, never the one that somebody wished to write.

use core::fmt;

/// The status of a run, as the Agent Protocol spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// Admitted, not yet executing.
    Pending,
    /// Executing.
    Running,
    /// StatusOutcome with an answer.
    Success,
    /// StatusOutcome by a failure.
    Error,
    /// StatusOutcome by the clock.
    Timeout,
    /// Paused for a human, paused at a breakpoint, or displaced by another run.
    Interrupted,
    /// StatusOutcome by a cancellation.
    Cancelled,
}

impl RunStatus {
    /// Every status, in the order of a run's life.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::Success,
        Self::Error,
        Self::Timeout,
        Self::Interrupted,
        Self::Cancelled,
    ];

    /// The status as it is written on the wire and in the run row.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Success => "success",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status with this name, or `None` for a name that is no status.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// True while the run holds its thread: it may still end in any way.
    pub const fn is_in_flight(self) -> bool {
        matches!(self, Self::Pending | Self::Running)
    }

    /// True once the run has ended. A paused run has ended too: its answer arrives as a new run.
    pub const fn is_terminal(self) -> bool {
        !self.is_in_flight()
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What became of a conditional write of a terminal status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOutcome {
    /// The run was in flight; the requested status is now its own.
    Won(RunStatus),
    /// The run had ended already; its status stands.
    Lost(RunStatus),
}

impl StatusOutcome {
    /// The effective status: the one that the run row holds after the write.
    pub const fn effective(self) -> RunStatus {
        match self {
            Self::Won(status) | Self::Lost(status) => status,
        }
    }
}

/// Decides a conditional write: the first terminal status of a run stays.
///
/// This is the rule of the primitives `settle` and `cancel`; the SQL in [`crate::sql::result`] says the same.
pub const fn end_run(current: RunStatus, requested: RunStatus) -> StatusOutcome {
    if current.is_in_flight() {
        StatusOutcome::Won(requested)
    } else {
        StatusOutcome::Lost(current)
    }
}

/// Decides the start of a run: one that has ended is not brought back.
///
/// A run that is `running` starts again: the process that executed it is gone, and the queue has it
/// executed anew. This is the rule of the primitive `start`.
pub const fn start_run(current: RunStatus) -> StatusOutcome {
    if current.is_in_flight() {
        StatusOutcome::Won(RunStatus::Running)
    } else {
        StatusOutcome::Lost(current)
    }
}

/// Whether a run's pause is one that somebody could still answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pausing {
    /// Its result can be resumed from, and no run has continued it.
    Open,
    /// There is nothing to resume from, or a later run of the task stands in its place.
    Over,
}

/// Decides the cancellation of a paused run: the one second end that a run can have.
///
/// This is the rule of the primitives `cancelPaused` and `passOver`.
pub const fn end_pause(current: RunStatus, pausing: Pausing) -> StatusOutcome {
    match (current, pausing) {
        (RunStatus::Interrupted, Pausing::Open) => StatusOutcome::Won(RunStatus::Cancelled),
        (current, _) => StatusOutcome::Lost(current),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back_from_its_own_name() {
        for status in RunStatus::ALL {
            assert_eq!(RunStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(RunStatus::parse("Success"), None);
        assert_eq!(RunStatus::parse(""), None);
    }

    #[test]
    fn the_first_terminal_status_stays() {
        for current in RunStatus::ALL {
            for requested in RunStatus::ALL.into_iter().filter(|s| s.is_terminal()) {
                let ended = end_run(current, requested);
                if current.is_terminal() {
                    assert_eq!(ended, StatusOutcome::Lost(current));
                } else {
                    assert_eq!(ended, StatusOutcome::Won(requested));
                }
                assert!(ended.effective().is_terminal());
            }
        }
    }

    #[test]
    fn a_run_that_has_ended_is_not_started_again() {
        for current in RunStatus::ALL {
            let started = if current.is_terminal() {
                StatusOutcome::Lost(current)
            } else {
                StatusOutcome::Won(RunStatus::Running)
            };
            assert_eq!(start_run(current), started);
        }
    }

    #[test]
    fn only_an_open_pause_has_a_second_end() {
        for current in RunStatus::ALL {
            assert_eq!(
                end_pause(current, Pausing::Over),
                StatusOutcome::Lost(current)
            );
            let ended = if current == RunStatus::Interrupted {
                StatusOutcome::Won(RunStatus::Cancelled)
            } else {
                StatusOutcome::Lost(current)
            };
            assert_eq!(end_pause(current, Pausing::Open), ended);
        }
    }
}
