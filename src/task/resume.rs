//! Whether an answer resumes a paused run, and what the graph is given.
//!
//! Contract 12: the exact persisted checkpoint still exists, is the current tip, and belongs to the
//! thread's current interrupted run; a stored result never stands in for a checkpoint. The facts are
//! gathered inside the thread's execution claim, and what is decided here is carried out by one host
//! call, which admits the run only if the thread has not moved on since.
//!
//! Answers are named by interrupt: a plain value would answer every question that is pending, and a
//! graph ignores an answer to a question that it does not have.

use crate::error::{Detail, Error, ErrorCode};
use crate::fields::{Fields, Outside, Wrong};
use crate::run::RunStatus;
use crate::task::view::Thread;

/// The checkpoint that the run paused at, as its result names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    /// The thread of the checkpoint.
    pub thread: String,
    /// The id of the checkpoint.
    pub checkpoint: String,
}

/// What the saver holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The id of the checkpoint that was found under the exact id, or `None`. An id that is not there
    /// may be answered with another checkpoint, or with none.
    pub exact: Option<String>,
    /// The id of the thread's newest checkpoint.
    pub tip: Option<String>,
    /// The questions that are pending there, in order, by their ids.
    pub pending: Vec<Option<String>>,
}

/// The shape of an answer; the values themselves are opaque.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeAnswer {
    /// One value for the one question.
    Plain,
    /// A value for each of these interrupts.
    Named(Vec<String>),
}

/// What is known when an answer arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeFacts {
    /// The status of the paused run's row.
    pub status: RunStatus,
    /// Whether the thread has moved on: a run came after it, or is in flight.
    pub thread_at: Thread,
    /// The thread of the run.
    pub thread: String,
    /// The checkpoint of its result.
    pub paused: Option<Paused>,
    /// The questions of its result, by their ids; `None` where the host does not say.
    pub asked: Option<Vec<Option<String>>>,
    /// What the saver holds.
    pub saved: Saved,
}

impl ResumeFacts {
    /// The facts `{ status, movedOn, thread, paused?, asked?, exact?, tip?, pending }`.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(given: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        let paused = given.given("paused");
        Ok(Self {
            status: given.named("status", RunStatus::parse)?,
            thread_at: if given.flag("movedOn")? {
                Thread::MovedOn
            } else {
                Thread::AtThisRun
            },
            thread: given.text("thread")?,
            paused: paused
                .map(|paused| Paused::of_given(&Fields(&paused)))
                .transpose()?,
            asked: given
                .given("asked")
                .map(|_| ids(given, "asked"))
                .transpose()?,
            saved: Saved {
                exact: given.optional_text("exact")?,
                tip: given.optional_text("tip")?,
                pending: ids(given, "pending")?,
            },
        })
    }
}

/// The ids of interrupts; null stands for one that has none.
fn ids(given: &Fields<'_, impl Outside>, name: &str) -> Result<Vec<Option<String>>, Wrong> {
    given.list(name, |id| Some(id.as_text()))
}

impl Paused {
    fn of_given(given: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            thread: given.text("thread")?,
            checkpoint: given.text("checkpoint")?,
        })
    }
}

impl ResumeAnswer {
    /// The interrupts `named` by an answer; a plain one names none.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(given: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(match given.given("named") {
            None => Self::Plain,
            Some(_) => Self::Named(given.list("named", Outside::as_text)?),
        })
    }
}

/// What the graph is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Nothing: it goes on from a breakpoint.
    Continue,
    /// The plain answer, under this interrupt's id.
    Answer(String),
    /// The named answers, as they came.
    Answers,
}

/// Why an answer resumes nothing. The text form is part of the public interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The run is not paused.
    NotPaused,
    /// The thread has moved on.
    MovedOn,
    /// The run has no checkpoint, or one of another thread.
    NoCheckpoint,
    /// The checkpoint is gone.
    CheckpointGone,
    /// The checkpoint is not the thread's newest one.
    Stale,
    /// An interrupt is answered that is not pending.
    UnknownInterrupt,
    /// An interrupt is answered twice.
    RepeatedInterrupt,
    /// One value for several questions, or a question that cannot be named.
    UnnamedAnswer,
    /// Named answers to a breakpoint, which asks nothing.
    NothingAsked,
}

impl Refusal {
    /// Every refusal.
    pub const ALL: [Self; 9] = [
        Self::NotPaused,
        Self::MovedOn,
        Self::NoCheckpoint,
        Self::CheckpointGone,
        Self::Stale,
        Self::UnknownInterrupt,
        Self::RepeatedInterrupt,
        Self::UnnamedAnswer,
        Self::NothingAsked,
    ];

    /// The stable text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotPaused => "not_paused",
            Self::MovedOn => "moved_on",
            Self::NoCheckpoint => "no_checkpoint",
            Self::CheckpointGone => "checkpoint_gone",
            Self::Stale => "stale",
            Self::UnknownInterrupt => "unknown_interrupt",
            Self::RepeatedInterrupt => "repeated_interrupt",
            Self::UnnamedAnswer => "unnamed_answer",
            Self::NothingAsked => "nothing_asked",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::NotPaused => "The run does not wait for an answer.",
            Self::MovedOn => "The thread has gone on since the run paused. Begin a new task.",
            Self::NoCheckpoint => {
                "The run has no checkpoint of its own to go on from. Begin a new task."
            }
            Self::CheckpointGone => {
                "The checkpoint that the run paused at is gone. Begin a new task."
            }
            Self::Stale => "The thread's state has changed since the run paused. Begin a new task.",
            Self::UnknownInterrupt => {
                "The answer names a question that is not pending. Answer the questions of the task's status."
            }
            Self::RepeatedInterrupt => {
                "The answer names a question twice. Answer each question once."
            }
            Self::UnnamedAnswer => {
                "Several questions are pending. Name each: one data part {\"id\", \"value\"} for each answer."
            }
            Self::NothingAsked => {
                "Nothing was asked: the run stands at a breakpoint. Send a message that names no question."
            }
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(ErrorCode::ResumeRefused, refusal.sentence())
            .with("reason", Detail::Text(refusal.as_str().to_owned()))
    }
}

/// Decides whether an answer resumes the run.
///
/// # Errors
///
/// The [`Refusal`]; nothing is to be created then.
pub fn plan_resume(facts: &ResumeFacts, answer: &ResumeAnswer) -> Result<Resume, Refusal> {
    if facts.status != RunStatus::Interrupted {
        return Err(Refusal::NotPaused);
    }
    if facts.thread_at == Thread::MovedOn {
        return Err(Refusal::MovedOn);
    }
    let checkpoint = match &facts.paused {
        Some(paused) if paused.thread == facts.thread && !paused.checkpoint.is_empty() => {
            &paused.checkpoint
        }
        _ => return Err(Refusal::NoCheckpoint),
    };
    if facts.saved.exact.as_ref() != Some(checkpoint) {
        return Err(Refusal::CheckpointGone);
    }
    if facts.saved.tip.as_ref() != Some(checkpoint) {
        return Err(Refusal::Stale);
    }
    // A run that answered and was erased, or rolled back, may have left its answer at the checkpoint.
    if facts
        .asked
        .as_ref()
        .is_some_and(|asked| sorted(asked) != sorted(&facts.saved.pending))
    {
        return Err(Refusal::Stale);
    }
    answer_to(&facts.saved.pending, answer)
}

fn sorted(ids: &[Option<String>]) -> Vec<&Option<String>> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort_unstable();
    ids
}

/// Names the pending question that each value answers. An id that two questions share names neither.
fn answer_to(pending: &[Option<String>], answer: &ResumeAnswer) -> Result<Resume, Refusal> {
    match answer {
        ResumeAnswer::Plain => match pending {
            [] => Ok(Resume::Continue),
            [Some(id)] => Ok(Resume::Answer(id.clone())),
            _ => Err(Refusal::UnnamedAnswer),
        },
        ResumeAnswer::Named(_) if pending.is_empty() => Err(Refusal::NothingAsked),
        ResumeAnswer::Named(ids) => {
            for (place, id) in ids.iter().enumerate() {
                if ids.iter().take(place).any(|earlier| earlier == id) {
                    return Err(Refusal::RepeatedInterrupt);
                }
                match pending
                    .iter()
                    .flatten()
                    .filter(|asked| *asked == id)
                    .count()
                {
                    0 => return Err(Refusal::UnknownInterrupt),
                    1 => {}
                    _ => return Err(Refusal::UnnamedAnswer),
                }
            }
            if ids.is_empty() {
                return Err(Refusal::UnnamedAnswer);
            }
            Ok(Resume::Answers)
        }
    }
}

/// How an admitted continuation begins to execute, when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// The pause is as it was: it is answered now.
    Answer,
    /// An earlier attempt of this run has answered it already, and got further: the graph goes on from
    /// where that attempt was.
    GoOn,
}

/// Decides how a continuation begins, inside the thread's execution claim.
///
/// `base` is the tip that an earlier attempt of the same run began from, if there was one.
///
/// # Errors
///
/// [`Refusal::MovedOn`]: another run has got in between; [`Refusal::Stale`]: the state has changed.
pub fn begin_resume(
    paused: Option<RunStatus>,
    checkpoint: &str,
    tip: Option<&str>,
    base: Option<&str>,
) -> Result<Begin, Refusal> {
    if tip != Some(checkpoint) && base == Some(checkpoint) {
        return Ok(Begin::GoOn);
    }
    if paused != Some(RunStatus::Interrupted) {
        return Err(Refusal::MovedOn);
    }
    if tip != Some(checkpoint) {
        return Err(Refusal::Stale);
    }
    Ok(Begin::Answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(pending: &[Option<&str>]) -> ResumeFacts {
        ResumeFacts {
            status: RunStatus::Interrupted,
            thread_at: Thread::AtThisRun,
            thread: "t".to_owned(),
            paused: Some(Paused {
                thread: "t".to_owned(),
                checkpoint: "c1".to_owned(),
            }),
            asked: None,
            saved: Saved {
                exact: Some("c1".to_owned()),
                tip: Some("c1".to_owned()),
                pending: pending.iter().map(|id| id.map(str::to_owned)).collect(),
            },
        }
    }

    fn named(ids: &[&str]) -> ResumeAnswer {
        ResumeAnswer::Named(ids.iter().map(|&id| id.to_owned()).collect())
    }

    #[test]
    fn only_the_current_pause_is_resumed() {
        let plan = |facts: ResumeFacts| plan_resume(&facts, &ResumeAnswer::Plain);
        let asked = || facts(&[Some("i")]);
        assert_eq!(plan(asked()), Ok(Resume::Answer("i".to_owned())));
        for status in RunStatus::ALL {
            let planned = plan(ResumeFacts { status, ..asked() });
            assert_eq!(planned.is_ok(), status == RunStatus::Interrupted);
        }
        let thread_at = Thread::MovedOn;
        assert_eq!(
            plan(ResumeFacts {
                thread_at,
                ..asked()
            }),
            Err(Refusal::MovedOn)
        );
    }

    #[test]
    fn the_exact_checkpoint_has_to_exist_and_to_be_the_tip() {
        let with = |change: &dyn Fn(&mut ResumeFacts)| {
            let mut changed = facts(&[Some("i")]);
            change(&mut changed);
            plan_resume(&changed, &ResumeAnswer::Plain)
        };
        assert_eq!(with(&|f| f.paused = None), Err(Refusal::NoCheckpoint));
        let twin = |f: &mut ResumeFacts| f.thread = "copy".to_owned();
        assert_eq!(with(&twin), Err(Refusal::NoCheckpoint));
        let empty = |f: &mut ResumeFacts| {
            f.paused = Some(Paused {
                thread: "t".to_owned(),
                checkpoint: String::new(),
            });
        };
        assert_eq!(with(&empty), Err(Refusal::NoCheckpoint));
        assert_eq!(
            with(&|f| f.saved.exact = None),
            Err(Refusal::CheckpointGone)
        );
        // A saver that is asked for an id that is gone may answer with the tip.
        let other = |f: &mut ResumeFacts| f.saved.exact = Some("c2".to_owned());
        assert_eq!(with(&other), Err(Refusal::CheckpointGone));
        let moved = |f: &mut ResumeFacts| f.saved.tip = Some("c2".to_owned());
        assert_eq!(with(&moved), Err(Refusal::Stale));
        assert_eq!(with(&|f| f.saved.tip = None), Err(Refusal::Stale));
    }

    #[test]
    fn the_pending_questions_are_those_that_the_run_asked() {
        let plan = |asked: &[Option<&str>], pending: &[Option<&str>]| {
            let asked = asked.iter().map(|id| id.map(str::to_owned)).collect();
            let facts = ResumeFacts {
                asked: Some(asked),
                ..facts(pending)
            };
            plan_resume(&facts, &named(&["a"]))
        };
        assert_eq!(plan(&[Some("a")], &[Some("a")]), Ok(Resume::Answers));
        let two = [Some("a"), Some("b")];
        assert_eq!(plan(&two, &[Some("b"), Some("a")]), Ok(Resume::Answers));
        for (asked, pending) in [
            (&[Some("a")][..], &[][..]),
            (&[], &[Some("a")]),
            (&two, &[Some("a")]),
            (&[Some("a")], &[Some("a"), Some("a")]),
            (&[None], &[Some("a")]),
        ] {
            assert_eq!(plan(asked, pending), Err(Refusal::Stale), "{asked:?}");
        }
    }

    #[test]
    fn one_value_answers_one_question_and_several_are_named() {
        let one = facts(&[Some("a")]);
        let two = facts(&[Some("a"), Some("b")]);
        let same = facts(&[Some("a"), Some("a")]);
        let nameless = facts(&[None]);
        let breakpoint = facts(&[]);
        let cases = [
            (
                &one,
                ResumeAnswer::Plain,
                Ok(Resume::Answer("a".to_owned())),
            ),
            (&one, named(&["a"]), Ok(Resume::Answers)),
            (&one, named(&["b"]), Err(Refusal::UnknownInterrupt)),
            (&one, named(&[]), Err(Refusal::UnnamedAnswer)),
            (&two, ResumeAnswer::Plain, Err(Refusal::UnnamedAnswer)),
            (&two, named(&["b", "a"]), Ok(Resume::Answers)),
            (&two, named(&["b"]), Ok(Resume::Answers)),
            (&two, named(&["a", "a"]), Err(Refusal::RepeatedInterrupt)),
            (&two, named(&["a", "zz"]), Err(Refusal::UnknownInterrupt)),
            (&same, ResumeAnswer::Plain, Err(Refusal::UnnamedAnswer)),
            (&same, named(&["a"]), Err(Refusal::UnnamedAnswer)),
            (&nameless, ResumeAnswer::Plain, Err(Refusal::UnnamedAnswer)),
            (&nameless, named(&["a"]), Err(Refusal::UnknownInterrupt)),
            (&breakpoint, ResumeAnswer::Plain, Ok(Resume::Continue)),
            (&breakpoint, named(&["a"]), Err(Refusal::NothingAsked)),
        ];
        for (facts, answer, planned) in cases {
            assert_eq!(plan_resume(facts, &answer), planned, "{facts:?} {answer:?}");
        }
    }

    #[test]
    fn a_continuation_answers_the_pause_once_and_goes_on_after_a_crash() {
        let paused = Some(RunStatus::Interrupted);
        assert_eq!(
            begin_resume(paused, "c1", Some("c1"), None),
            Ok(Begin::Answer)
        );
        // The earlier attempt had not written anything.
        assert_eq!(
            begin_resume(paused, "c1", Some("c1"), Some("c1")),
            Ok(Begin::Answer)
        );
        assert_eq!(
            begin_resume(paused, "c1", Some("c2"), Some("c1")),
            Ok(Begin::GoOn)
        );
        assert_eq!(
            begin_resume(paused, "c1", Some("c2"), None),
            Err(Refusal::Stale)
        );
        assert_eq!(begin_resume(paused, "c1", None, None), Err(Refusal::Stale));
        for status in [None, Some(RunStatus::Cancelled)] {
            assert_eq!(
                begin_resume(status, "c1", Some("c1"), None),
                Err(Refusal::MovedOn)
            );
        }
    }

    #[test]
    fn no_two_refusals_share_a_text_and_each_says_what_to_do_in_a_sentence() {
        for refusal in Refusal::ALL {
            let same = Refusal::ALL.iter().filter(|other| {
                other.as_str() == refusal.as_str()
                    || Error::from(**other).message() == Error::from(refusal).message()
            });
            assert_eq!(same.count(), 1);
            assert!(Error::from(refusal).message().ends_with('.'));
        }
    }
}
