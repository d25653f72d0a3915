//! Execution attempts: the engine's way from the start of a run to its settle, as the reference host
//! goes it. Between any two moves the process may die, and the queue may start the run again, also
//! while an attempt that was given up goes on.

use skein_results::invariants::{
    Birth, Given, Invariant, broken_asking, misses_the_pause, wrote_and_lost,
};
use skein_results::reference::Row;
use skein_results::result::capture::{
    Action, Awaiting, End, Finish, HostAnswer, Marking, Phase, Stop, Support, advance, awaiting,
    begin, phase_after,
};
use skein_results::run::{RunStatus, StatusOutcome, start_run};
use skein_results::task::resume::{Begin, begin_resume};

use super::texts::{Captured, Holds, Id};
use super::torn::Torn;
use super::{ANSWERS, Explorer, FIRST, NEXT, Step, THREAD, World};

/// One attempt to execute a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    pub run: Id,
    /// Which one it is of all attempts; also the id of the checkpoint that it writes.
    pub by: u8,
    pub marking: Marking,
    /// What the host keeps for the machine.
    pub phase: Phase,
    /// What the machine has said so far: a phase that forgets is found out by it.
    pub reached: Phase,
    pub stage: Stage,
    /// Host calls on their way, the oldest first.
    pub calls: Vec<Call>,
}

/// How far an attempt has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// On a store that starts in two steps: the status has been read.
    Starting,
    /// The run has started; what it displaces is taken back next.
    StatusOutcome,
    /// What was paused on the thread is given up next.
    PassingOver,
    /// A continuation is looked at once more.
    Beginning,
    /// The graph runs.
    Executing,
    /// The settle point has been called.
    Settling,
    /// A settle has failed: the engine ends the run as failed.
    MustEnd,
    /// The engine has let go of the run.
    Over,
}

/// A host call of a settle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    pub action: Action<Captured>,
    waiting: Awaiting,
    state: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Progress {
    /// It has not reached the store.
    Asked,
    /// On a store that is not atomic: it has read this, and will write.
    Read(bool),
    /// Half of it is written: the result is to follow.
    Half,
    /// It took effect, and this is the answer.
    Took(HostAnswer),
}

/// What an attempt does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The next thing before the graph runs.
    Prepare,
    /// The graph comes to an end, and the run is settled.
    End(Ending),
    /// A host call takes effect.
    Take(usize),
    /// The host's answer arrives.
    Hear(usize),
    /// A host call fails; it may have taken effect.
    Fail(usize),
    /// The engine settles once more, because its settle has failed.
    Retry,
    /// Something behind the settle point throws, and the engine enters it again.
    Reenter,
    /// The end is delivered once more, with another result.
    Repeat,
    /// The process dies.
    Die,
}

/// How a graph may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Succeeds,
    Pauses,
    Fails,
    RunsOutOfTime,
    IsDisplaced,
    IsCancelled,
}

const FIRST_ENDINGS: [Ending; 6] = [
    Ending::Succeeds,
    Ending::Pauses,
    Ending::Fails,
    Ending::RunsOutOfTime,
    Ending::IsDisplaced,
    Ending::IsCancelled,
];

/// Who a result is of that is delivered once more.
const REPEATED: u8 = 200;

/// The runs after the first are there for what they do to it.
const LATER_ENDINGS: [Ending; 2] = [Ending::Succeeds, Ending::Pauses];

impl Call {
    pub fn new(action: Action<Captured>) -> Option<Self> {
        let waiting = awaiting(&action)?;
        Some(Self {
            action,
            waiting,
            state: Progress::Asked,
        })
    }

    pub const fn has_taken_effect(&self) -> bool {
        matches!(self.state, Progress::Took(_))
    }

    pub const fn answer(&self) -> Option<(Awaiting, HostAnswer)> {
        match self.state {
            Progress::Took(answer) => Some((self.waiting, answer)),
            _ => None,
        }
    }
}

impl Attempt {
    /// Takes what the machine says next: a host call, or the end of this settle.
    fn enter(&mut self, action: Action<Captured>) {
        self.phase = phase_after(self.phase, &action);
        self.reached = match (self.reached, &action) {
            (Phase::Settled(_), _) => self.reached,
            (_, Action::Done(status)) => Phase::Settled(*status),
            (_, Action::Fail) => Phase::CaptureFailed,
            (reached, _) => reached,
        };
        match action {
            Action::Done(_) => self.stage = Stage::Over,
            Action::Fail | Action::Raise if self.stage != Stage::Over => {
                self.stage = Stage::MustEnd
            }
            action => self.calls.extend(Call::new(action)),
        }
    }

    /// It holds the execution claim of its thread.
    fn holds_claim(&self) -> bool {
        self.stage != Stage::Over || !self.calls.is_empty()
    }
}

impl Explorer {
    pub(super) fn attempt_moves(&self, world: &World, steps: &mut Vec<Step>) {
        for (place, attempt) in world.attempts.iter().enumerate() {
            let mut may = |made| steps.push(Step::Attempt(place, made));
            for (call, asked) in attempt.calls.iter().enumerate() {
                if asked.has_taken_effect() {
                    may(Move::Hear(call));
                } else {
                    may(Move::Take(call));
                }
                if world.spent.mishaps < self.bound.mishaps && asked.state != Progress::Half {
                    may(Move::Fail(call));
                }
            }
            match attempt.stage {
                Stage::Starting | Stage::StatusOutcome | Stage::PassingOver | Stage::Beginning => {
                    may(Move::Prepare)
                }
                Stage::Executing => {
                    let endings: &[Ending] = if attempt.run == FIRST {
                        &FIRST_ENDINGS
                    } else {
                        &LATER_ENDINGS
                    };
                    endings.iter().for_each(|ending| may(Move::End(*ending)));
                }
                Stage::MustEnd if attempt.calls.is_empty() => may(Move::Retry),
                Stage::MustEnd | Stage::Settling | Stage::Over => {}
            }
            let has_settled = matches!(
                attempt.stage,
                Stage::Settling | Stage::MustEnd | Stage::Over
            );
            if has_settled && world.spent.mishaps < self.bound.mishaps {
                may(Move::Reenter);
                may(Move::Repeat);
            }
            if attempt.holds_claim() && world.spent.mishaps < self.bound.mishaps {
                may(Move::Die);
            }
        }
    }

    /// The queue starts what it holds, on a thread where no other run executes. It may have ended since.
    pub(super) fn starts(&self, world: &World, steps: &mut Vec<Step>) {
        for (run, row) in world.store.rows() {
            let is_own = row.thread == THREAD && usize::from(*run) < world.spent.attempts.len();
            if !is_own {
                continue;
            }
            let made = world.spent.attempts[usize::from(*run)];
            let allowed = if *run == FIRST {
                self.bound.attempts
            } else {
                self.bound.attempts.min(1 + self.bound.mishaps)
            };
            let others = world
                .attempts
                .iter()
                .any(|attempt| attempt.run != *run && attempt.holds_claim());
            if made < allowed && !others {
                steps.push(Step::Start(*run));
            }
        }
    }

    pub(super) fn start(&self, world: &mut World, run: Id) -> Birth {
        let made = &mut world.spent.attempts[usize::from(run)];
        *made += 1;
        let by = run * 4 + *made;
        let Some(row) = world.store.row(&run) else {
            return Birth::None;
        };
        let marking = if row.lineage.is_some() {
            Marking::Marked
        } else {
            Marking::Unmarked
        };
        let mut attempt = Attempt {
            run,
            by,
            marking,
            phase: Phase::Open,
            reached: Phase::Open,
            stage: Stage::StatusOutcome,
            calls: Vec::new(),
        };
        if run != NEXT || !world.rolls_back {
            attempt.stage = Stage::PassingOver;
        }
        if self.torn == Some(Torn::Start) {
            if start_run(row.status) == StatusOutcome::Won(RunStatus::Running) {
                attempt.stage = Stage::Starting;
                world.attempts.push(attempt);
            }
        } else if world.store.start(&run) == Some(StatusOutcome::Won(RunStatus::Running)) {
            world.attempts.push(attempt);
        }
        Birth::None
    }

    pub(super) fn advance_attempt(&self, world: &mut World, place: usize, made: Move) -> Birth {
        let mut attempt = world.attempts.remove(place);
        match made {
            Move::Prepare => self.prepare(world, &mut attempt),
            Move::End(ending) => {
                attempt.stage = Stage::Settling;
                let end = self.ended(world, &attempt, ending);
                self.settle(world, &mut attempt, end);
            }
            Move::Retry => {
                attempt.stage = Stage::Settling;
                self.settle(world, &mut attempt, End::Stopped(Stop::Error));
            }
            Move::Reenter => {
                world.spent.mishaps += 1;
                self.settle(world, &mut attempt, End::Stopped(Stop::Error));
            }
            Move::Repeat => {
                world.spent.mishaps += 1;
                let end = End::Finished {
                    status: Finish::Success,
                    result: Captured {
                        by: REPEATED,
                        holds: Holds::Checkpoint,
                        thread: THREAD,
                    },
                };
                self.settle(world, &mut attempt, end);
            }
            Move::Take(call) => {
                let mut asked = attempt.calls.remove(call);
                self.take(world, attempt.run, &mut asked);
                attempt.calls.insert(call, asked);
            }
            Move::Hear(call) => {
                let heard = attempt.calls.remove(call);
                if let Some((waiting, answer)) = heard.answer() {
                    self.hear(world, &mut attempt, waiting, answer);
                }
            }
            Move::Fail(call) => {
                world.spent.mishaps += 1;
                let failed = attempt.calls.remove(call);
                self.hear(world, &mut attempt, failed.waiting, HostAnswer::Failed);
            }
            Move::Die => {
                world.spent.mishaps += 1;
                return Birth::None;
            }
        }
        world.attempts.insert(place, attempt);
        Birth::None
    }

    /// What the reference host does between the start of a run and its graph.
    fn prepare(&self, world: &mut World, attempt: &mut Attempt) {
        match attempt.stage {
            Stage::Starting => {
                world.store.set_status(&attempt.run, RunStatus::Running);
                let displaces = attempt.run == NEXT && world.rolls_back;
                attempt.stage = if displaces {
                    Stage::StatusOutcome
                } else {
                    Stage::PassingOver
                };
            }
            Stage::StatusOutcome => {
                world.store.delete(&FIRST);
                world.tip = 0;
                attempt.stage = Stage::PassingOver;
            }
            Stage::PassingOver => {
                world.store.pass_over(&attempt.run, Captured::can_resume);
                let answers = ANSWERS.contains(&attempt.run);
                attempt.stage = if answers {
                    Stage::Beginning
                } else {
                    Stage::Executing
                };
            }
            Stage::Beginning => {
                let paused = world.status(FIRST);
                let checkpoint = world.resumes.to_string();
                let named = |by: u8| (by != 0).then(|| by.to_string());
                let [tip, base] = [named(world.tip), named(world.base)];
                let begins = begin_resume(paused, &checkpoint, tip.as_deref(), base.as_deref());
                let misses = misses_the_pause(paused, &world.resumes, &world.tip);
                if begins == Ok(Begin::Answer) && misses {
                    world.breaks(Invariant::ExactPause);
                }
                if begins.is_err() {
                    attempt.stage = Stage::MustEnd;
                    return;
                }
                if world.base == 0 {
                    world.base = world.tip;
                }
                attempt.stage = Stage::Executing;
            }
            Stage::Executing | Stage::Settling | Stage::MustEnd | Stage::Over => {}
        }
    }

    fn ended(&self, world: &mut World, attempt: &Attempt, ending: Ending) -> End<Captured> {
        let holds = match ending {
            Ending::Succeeds => Holds::Checkpoint,
            Ending::Pauses => Holds::Questions,
            Ending::Fails => return End::Stopped(Stop::Error),
            Ending::RunsOutOfTime => return End::Stopped(Stop::Timeout),
            Ending::IsDisplaced => return End::Stopped(Stop::Interrupted),
            Ending::IsCancelled => return End::Stopped(Stop::Cancelled),
        };
        world.tip = attempt.by;
        let status = if ending == Ending::Pauses {
            Finish::Interrupted
        } else {
            Finish::Success
        };
        let result = Captured {
            by: attempt.by,
            holds,
            thread: THREAD,
        };
        End::Finished { status, result }
    }

    fn settle(&self, world: &mut World, attempt: &mut Attempt, end: End<Captured>) {
        let given = match end {
            End::Finished { .. } => Given::Finished,
            End::Stopped(_) => Given::Stopped,
        };
        let action = begin(attempt.phase, attempt.marking, self.support, end);
        self.enter(world, attempt, given, action);
    }

    fn hear(
        &self,
        world: &mut World,
        attempt: &mut Attempt,
        waiting: Awaiting,
        answer: HostAnswer,
    ) {
        let action = advance(attempt.phase, waiting, answer);
        self.enter(world, attempt, Given::Answer, action);
    }

    fn enter(
        &self,
        world: &mut World,
        attempt: &mut Attempt,
        given: Given,
        action: Action<Captured>,
    ) {
        if let Some(broken) = broken_asking(attempt.reached, given, &action) {
            world.breaks(broken);
        }
        attempt.enter(action);
    }

    /// A host call of a settle, as the store performs it.
    pub(super) fn take(&self, world: &mut World, run: Id, call: &mut Call) {
        let status = world.status(run);
        let is_open = status.is_some_and(RunStatus::is_in_flight);
        call.state = match (call.action.clone(), call.state, self.torn) {
            (Action::Record { result, .. }, Progress::Asked, torn) => {
                if torn == Some(Torn::Record) {
                    Progress::Read(
                        world
                            .store
                            .row(&run)
                            .is_some_and(|row| row.result.is_none()),
                    )
                } else {
                    world.store.record(&run, result);
                    Progress::Took(HostAnswer::Recorded)
                }
            }
            (Action::Record { result, .. }, Progress::Read(empty), _) => {
                if empty {
                    overwrite(world, run, |row| row.result = Some(result));
                }
                Progress::Took(HostAnswer::Recorded)
            }
            (
                Action::Settle { .. } | Action::WriteStatus(_),
                Progress::Asked,
                Some(Torn::Settle),
            ) => Progress::Read(is_open),
            (
                Action::Settle {
                    status: to,
                    result: Some(_),
                },
                Progress::Asked,
                Some(Torn::SettleHalves),
            ) if is_open => {
                world.store.set_status(&run, to);
                Progress::Half
            }
            (
                Action::Settle {
                    result: Some(result),
                    ..
                },
                Progress::Half,
                _,
            ) => {
                world.store.record(&run, result);
                Progress::Took(HostAnswer::Settled(world.status(run)))
            }
            (Action::Settle { status: to, result }, Progress::Read(open), _) => {
                if open {
                    world.store.set_status(&run, to);
                    if let Some(result) = result {
                        world.store.record(&run, result);
                    }
                }
                Progress::Took(HostAnswer::Settled(world.status(run)))
            }
            (Action::WriteStatus(to), Progress::Read(open), _) => {
                if open {
                    world.store.set_status(&run, to);
                }
                Progress::Took(HostAnswer::StatusWritten(world.status(run)))
            }
            (Action::Settle { status: to, result }, _, _) => {
                Progress::Took(HostAnswer::Settled(settled(world, run, to, result)))
            }
            (Action::WriteStatus(to), _, _) => {
                Progress::Took(HostAnswer::StatusWritten(settled(world, run, to, None)))
            }
            (Action::Record { .. } | Action::Done(_) | Action::Fail | Action::Raise, _, _) => {
                Progress::Took(HostAnswer::Failed)
            }
        };
    }
}

/// The conditional write. If it lost it has written nothing.
fn settled(
    world: &mut World,
    run: Id,
    to: RunStatus,
    result: Option<Captured>,
) -> Option<RunStatus> {
    let before = world.store.row(&run).cloned();
    let ended = world.store.settle(&run, to, result)?;
    if wrote_and_lost(ended, &before, &world.store.row(&run).cloned()) {
        world.breaks(Invariant::LoserWritesNothing);
    }
    Some(ended.effective())
}

fn overwrite(world: &mut World, run: Id, write: impl FnOnce(&mut Row<Id, Captured>)) {
    if let Some(row) = world.store.row_mut(&run) {
        write(row);
    }
}

/// The stores that the explorer walks over.
pub const fn one_write(support: Support) -> bool {
    matches!(support, Support::OneWrite)
}
