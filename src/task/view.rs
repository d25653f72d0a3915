//! From a run and its result to the task that a caller sees.
//!
//! Contract 5: rendering follows the effective terminal status. What is decided here is a plan: the
//! state, which member is the artifact and in which kind of part, whether questions are asked. The
//! texts themselves are spliced in by the facade.
//!
//! Sources: A2A 1.0, sections 3.7 and 4.1 (task states, artifacts), and the rules that the README
//! states for runs.

use serde::Serialize;

use crate::fields::{Fields, Outside, Wrong};
use crate::run::RunStatus;

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// Admitted, not yet worked on.
    Submitted,
    /// Being worked on.
    Working,
    /// StatusOutcome with its answer.
    Completed,
    /// StatusOutcome by a failure.
    Failed,
    /// StatusOutcome by a cancellation, or passed over.
    Canceled,
    /// Waits for an answer of the caller.
    InputRequired,
}

impl TaskState {
    /// Every state, in the order of a task's life.
    pub const ALL: [Self; 6] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
    ];

    /// The state as the package spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
        }
    }

    /// The state with this name, or `None` for a name that is no state.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// What kind of JSON a member of the result is, as far as a part needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The member is absent, or there is no result.
    Absent,
    /// JSON null.
    Null,
    /// A string.
    Text,
    /// Anything else: an object, an array, a number, a boolean.
    Data,
    /// Parts that the graph has made itself, such as files.
    Parts,
}

impl Shape {
    /// The shape with this name, or `None` for a name that is none.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "absent" => Some(Self::Absent),
            "null" => Some(Self::Null),
            "text" => Some(Self::Text),
            "data" => Some(Self::Data),
            "parts" => Some(Self::Parts),
            _ => None,
        }
    }
}

/// Whether the run's result shows that the run can be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Neither interrupts nor a checkpoint: the run was displaced.
    None,
    /// A checkpoint and no questions: paused at a breakpoint.
    Breakpoint,
    /// Questions wait for an answer.
    Questions,
}

impl Pause {
    /// The pause with this name, or `None` for a name that is none.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "breakpoint" => Some(Self::Breakpoint),
            "questions" => Some(Self::Questions),
            _ => None,
        }
    }
}

/// Whether a later run has started on the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// This run is the last that started.
    AtThisRun,
    /// A later run started: a pause of this one can no longer be resumed.
    MovedOn,
}

impl Thread {
    /// The place with this name, or `None` for a name that is none.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "at-this-run" => Some(Self::AtThisRun),
            "moved-on" => Some(Self::MovedOn),
            _ => None,
        }
    }
}

/// Which member of the result is the artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The answer that the graph declared for the caller.
    Reply,
    /// The final state.
    Values,
}

/// The kind of part that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A text part.
    Text,
    /// A data part.
    Data,
    /// A data part `{"value": null}`: a bare null does not survive the protocol's decoding.
    WrappedNull,
    /// The parts that the graph has made itself.
    Parts,
}

/// The artifact of a completed task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// Which member it is.
    pub source: Source,
    /// The part that carries it.
    pub part: Part,
}

/// How to show a run as a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TaskPlan {
    /// The task's state.
    pub state: TaskState,
    /// The artifact, under an effective success only.
    pub artifact: Option<Artifact>,
    /// Whether the status carries a message, and which.
    pub note: Note,
}

/// The message of a task's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// None.
    None,
    /// The questions of the paused run.
    Questions,
    /// Why the run failed: the text of the run's error, never a captured value.
    Failure,
}

/// What the plan is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// The status of the run row.
    pub status: RunStatus,
    /// The shape of the captured reply.
    pub reply: Shape,
    /// The shape of the captured values.
    pub values: Shape,
    /// Whether the captured result can be resumed from.
    pub pause: Pause,
    /// Whether the thread has moved on.
    pub thread: Thread,
}

impl TaskFacts {
    /// The facts `{ status, reply, values, pause, thread }`, each by its name.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(given: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            status: given.named("status", RunStatus::parse)?,
            reply: given.named("reply", Shape::parse)?,
            values: given.named("values", Shape::parse)?,
            pause: given.named("pause", Pause::parse)?,
            thread: given.named("thread", Thread::parse)?,
        })
    }
}

/// Plans how to show a run as a task.
pub const fn plan_task(facts: TaskFacts) -> TaskPlan {
    match facts.status {
        RunStatus::Pending => bare(TaskState::Submitted),
        RunStatus::Running => bare(TaskState::Working),
        RunStatus::Cancelled => bare(TaskState::Canceled),
        RunStatus::Error | RunStatus::Timeout => TaskPlan {
            state: TaskState::Failed,
            artifact: None,
            note: Note::Failure,
        },
        RunStatus::Interrupted => match (facts.pause, facts.thread) {
            (Pause::None, _) | (_, Thread::MovedOn) => bare(TaskState::Canceled),
            (Pause::Breakpoint, Thread::AtThisRun) => bare(TaskState::InputRequired),
            (Pause::Questions, Thread::AtThisRun) => TaskPlan {
                state: TaskState::InputRequired,
                artifact: None,
                note: Note::Questions,
            },
        },
        RunStatus::Success => TaskPlan {
            state: TaskState::Completed,
            artifact: artifact(facts.reply, facts.values),
            note: Note::None,
        },
    }
}

const fn bare(state: TaskState) -> TaskPlan {
    TaskPlan {
        state,
        artifact: None,
        note: Note::None,
    }
}

/// The declared reply when there is one, and the values otherwise; every JSON value is an answer.
const fn artifact(reply: Shape, values: Shape) -> Option<Artifact> {
    match (part(reply), part(values)) {
        (Some(part), _) => Some(Artifact {
            source: Source::Reply,
            part,
        }),
        (None, Some(part)) => Some(Artifact {
            source: Source::Values,
            part,
        }),
        (None, None) => None,
    }
}

const fn part(shape: Shape) -> Option<Part> {
    match shape {
        Shape::Absent => None,
        Shape::Null => Some(Part::WrappedNull),
        Shape::Text => Some(Part::Text),
        Shape::Data => Some(Part::Data),
        Shape::Parts => Some(Part::Parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 5] = [
        Shape::Absent,
        Shape::Null,
        Shape::Text,
        Shape::Data,
        Shape::Parts,
    ];
    const PAUSES: [Pause; 3] = [Pause::None, Pause::Breakpoint, Pause::Questions];
    const THREADS: [Thread; 2] = [Thread::AtThisRun, Thread::MovedOn];

    #[test]
    fn every_state_reads_back_from_its_own_name() {
        for state in TaskState::ALL {
            assert_eq!(TaskState::parse(state.as_str()), Some(state));
            let name = serde_json::to_string(&state).unwrap();
            assert_eq!(name, format!("{:?}", state.as_str()));
        }
        assert_eq!(TaskState::parse("Working"), None);
    }

    fn every_facts() -> Vec<TaskFacts> {
        let mut all = Vec::new();
        for status in RunStatus::ALL {
            for reply in SHAPES {
                for values in SHAPES {
                    for pause in PAUSES {
                        for thread in THREADS {
                            all.push(TaskFacts {
                                status,
                                reply,
                                values,
                                pause,
                                thread,
                            });
                        }
                    }
                }
            }
        }
        all
    }

    #[test]
    fn an_artifact_is_shown_only_under_an_effective_success() {
        for facts in every_facts() {
            let plan = plan_task(facts);
            let captured = facts.reply != Shape::Absent || facts.values != Shape::Absent;
            assert_eq!(
                plan.artifact.is_some(),
                facts.status == RunStatus::Success && captured
            );
            assert_eq!(
                plan.state == TaskState::Completed,
                facts.status == RunStatus::Success
            );
        }
    }

    #[test]
    fn a_cancel_that_won_shows_no_artifact_and_no_question() {
        for facts in every_facts()
            .into_iter()
            .filter(|f| f.status == RunStatus::Cancelled)
        {
            assert_eq!(plan_task(facts), bare(TaskState::Canceled));
        }
    }

    #[test]
    fn a_paused_run_asks_only_while_the_thread_stands_at_it() {
        for facts in every_facts()
            .into_iter()
            .filter(|f| f.status == RunStatus::Interrupted)
        {
            let plan = plan_task(facts);
            let open = facts.pause != Pause::None && facts.thread == Thread::AtThisRun;
            let state = if open {
                TaskState::InputRequired
            } else {
                TaskState::Canceled
            };
            assert_eq!(plan.state, state);
            let asks = open && facts.pause == Pause::Questions;
            assert_eq!(plan.note == Note::Questions, asks);
        }
    }

    #[test]
    fn the_declared_reply_is_the_artifact_and_null_is_an_answer_too() {
        let success = TaskFacts {
            status: RunStatus::Success,
            reply: Shape::Null,
            values: Shape::Data,
            pause: Pause::Breakpoint,
            thread: Thread::MovedOn,
        };
        let artifact = |facts| plan_task(facts).artifact;
        assert_eq!(
            artifact(success),
            Some(Artifact {
                source: Source::Reply,
                part: Part::WrappedNull
            })
        );
        assert_eq!(
            artifact(TaskFacts {
                reply: Shape::Absent,
                ..success
            }),
            Some(Artifact {
                source: Source::Values,
                part: Part::Data
            })
        );
    }
}
