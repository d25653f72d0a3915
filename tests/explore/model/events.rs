//! What comes from outside while runs execute: cancels, answers, other turns, deletions, copies and
//! imports. Each happens once at most, at any moment.

use skein_results::invariants::{Birth, Invariant, misses_the_pause};
use skein_results::reference::{Lineage, Row};
use skein_results::result::capture::{
    Action, End, HostAnswer, Marking, Phase, Stop, advance, begin, phase_after,
};
use skein_results::result::snapshot::{self, Occurrence, Placement, place};
use skein_results::run::RunStatus;
use skein_results::task::lineage::{Root, copied_mark, imported_mark_stands};
use skein_results::task::mark::{MARK_VERSION, Mark};
use skein_results::task::resume::{self, Paused, ResumeFacts, Saved, plan_resume};
use skein_results::task::view::Thread;

use super::attempts::Call;
use super::texts::{Captured, Holds, Id};
use super::torn::Torn;
use super::{ANSWERS, COPIED, COPY, Explorer, FIRST, FORGED, IMPORTED, NEXT, Step, THREAD, World};

/// Something that comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The first run is cancelled.
    Cancel,
    /// The task is cancelled while it is paused.
    GiveUp,
    /// An answer, by the run that it would start.
    Answer(Id),
    /// Another turn displaces what is in flight, which ends `interrupted`.
    Interrupt,
    /// Another turn displaces what is in flight, and takes it back.
    RollBack,
    /// Another turn waits for its turn.
    Enqueue,
    /// A run's row is deleted.
    Delete(Id),
    /// The thread is deleted.
    DeleteThread,
    /// The thread is copied.
    Copy,
    /// A snapshot is imported.
    Import,
}

const EVENTS: [Event; 12] = [
    Event::Cancel,
    Event::GiveUp,
    Event::Answer(ANSWERS[0]),
    Event::Answer(ANSWERS[1]),
    Event::Interrupt,
    Event::RollBack,
    Event::Enqueue,
    Event::Delete(FIRST),
    Event::Delete(NEXT),
    Event::DeleteThread,
    Event::Copy,
    Event::Import,
];

/// What is under way between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Other {
    /// A displacement settles the first run, before the next turn is created.
    Displacing {
        phase: Phase,
        call: Option<Call>,
        rolls_back: bool,
    },
    /// An answer has been planned, and its run is not created yet.
    Answering(Id),
    /// The runs of a copy have been chosen.
    Copying(Vec<Id>),
    /// The runs are copied, their results are not.
    CopyingResults(Vec<(Id, Id)>),
    /// A cancel has read a run in flight.
    Cancelling,
    /// An import has read which runs have no result.
    Importing(Vec<Id>),
    /// An answer has found the thread as it should be.
    Admitting(Id),
}

/// What goes on next of what is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    GoOn,
    /// Its process dies.
    Die,
}

impl Explorer {
    pub(super) fn events(&self, world: &World, steps: &mut Vec<Step>) {
        if world.spent.events.count_ones() >= u32::from(self.bound.events) {
            return;
        }
        for (place, event) in EVENTS.into_iter().enumerate() {
            if world.spent.events & (1 << place) == 0 && self.may_happen(world, event) {
                steps.push(Step::Event(event));
            }
        }
    }

    /// An event that would change nothing is left for the moment when it does.
    fn may_happen(&self, world: &World, event: Event) -> bool {
        let has = |run: Id| world.store.row(&run).is_some();
        let next_is_new = !world.has_next
            && !world
                .others
                .iter()
                .any(|other| matches!(other, Other::Displacing { .. }));
        match event {
            Event::Cancel => has(FIRST),
            Event::GiveUp => has(FIRST) && !self.claimed(world),
            Event::Answer(run) => !has(run) && self.plan(world).is_some(),
            Event::Interrupt | Event::RollBack => {
                next_is_new && world.status(FIRST).is_some_and(RunStatus::is_in_flight)
            }
            Event::Enqueue => next_is_new,
            Event::Delete(run) => has(run),
            Event::DeleteThread | Event::Copy => {
                world.store.rows().any(|(_, row)| row.thread == THREAD)
            }
            Event::Import => true,
        }
    }

    fn claimed(&self, world: &World) -> bool {
        use super::attempts::Stage;
        world
            .attempts
            .iter()
            .any(|attempt| attempt.stage != Stage::Over || !attempt.calls.is_empty())
    }

    pub(super) fn begin_event(&self, world: &mut World, event: Event) -> Birth {
        for (place, other) in EVENTS.into_iter().enumerate() {
            if other == event {
                world.spent.events |= 1 << place;
            }
        }
        match event {
            Event::Cancel if self.torn == Some(Torn::Cancel) => {
                if world.status(FIRST).is_some_and(RunStatus::is_in_flight) {
                    world.others.push(Other::Cancelling);
                }
            }
            Event::Cancel => {
                world.store.cancel(&FIRST);
            }
            Event::GiveUp => {
                if let Some(last) = world.store.last_of_task(&FIRST).copied() {
                    world.store.cancel_paused(&last, Captured::can_resume);
                }
            }
            Event::Answer(run) => {
                let pause = world.store.read(&FIRST).map_or(0, |result| result.by);
                let misses = misses_the_pause(world.status(FIRST), &pause, &world.tip);
                if misses || !world.store.is_resumable(&FIRST) {
                    world.breaks(Invariant::ExactPause);
                }
                world.others.push(Other::Answering(run));
            }
            Event::Interrupt | Event::RollBack => self.displace(world, event == Event::RollBack),
            Event::Enqueue => return create_next(world, false),
            Event::Delete(run) => world.store.delete(&run),
            Event::DeleteThread => world.store.delete_thread(&THREAD),
            Event::Copy => {
                let ended =
                    |row: &Row<Id, Captured>| row.thread == THREAD && row.status.is_terminal();
                let chosen = world.store.rows().filter(|(_, row)| ended(row));
                let chosen = chosen.map(|(run, _)| *run).collect();
                world.others.push(Other::Copying(chosen));
            }
            Event::Import => return self.import(world),
        }
        Birth::None
    }

    pub(super) fn other_moves(&self, world: &World, steps: &mut Vec<Step>) {
        for place in 0..world.others.len() {
            steps.push(Step::Other(place, Move::GoOn));
            if world.spent.mishaps < self.bound.mishaps {
                steps.push(Step::Other(place, Move::Die));
            }
        }
    }

    pub(super) fn advance_other(&self, world: &mut World, place: usize, made: Move) -> Birth {
        let other = world.others.remove(place);
        if made == Move::Die {
            world.spent.mishaps += 1;
            return Birth::None;
        }
        match other {
            Other::Displacing {
                phase,
                call: Some(call),
                rolls_back,
            } => {
                self.go_on_displacing(world, phase, call, rolls_back);
                Birth::None
            }
            Other::Displacing { rolls_back, .. } => create_next(world, rolls_back),
            Other::Answering(run) if self.torn == Some(Torn::AdmitResume) => {
                if world.store.is_resumable(&FIRST) {
                    world.others.push(Other::Admitting(run));
                }
                Birth::None
            }
            Other::Answering(run) => {
                let resumes = world.store.read(&FIRST).map_or(0, |result| result.by);
                if world.store.admit_resume(&FIRST, run, continuation()) {
                    world.resumes = resumes;
                }
                Birth::Created
            }
            Other::Admitting(run) => {
                world.resumes = world.store.read(&FIRST).map_or(0, |result| result.by);
                world.store.create(run, continuation());
                Birth::Created
            }
            Other::Copying(chosen) => self.copy(world, &chosen),
            Other::CopyingResults(copies) => {
                world
                    .store
                    .copy_many(&copies, |result| result.copied(THREAD, COPY));
                Birth::None
            }
            Other::Cancelling => {
                world.store.set_status(&FIRST, RunStatus::Cancelled);
                Birth::None
            }
            Other::Importing(empty) => {
                for run in empty {
                    if let Some(row) = world.store.row_mut(&run) {
                        row.result = Some(Captured::imported(row.thread));
                    }
                }
                Birth::None
            }
        }
    }

    /// What the host looks up of a pause, and what the rules make of it.
    fn plan(&self, world: &World) -> Option<resume::Resume> {
        let row = world.store.row(&FIRST)?;
        let result = row.result?;
        let on_thread = || {
            world
                .store
                .rows()
                .filter(|(_, other)| other.thread == THREAD)
        };
        let is_last = on_thread().last().is_some_and(|(run, _)| *run == FIRST);
        let thread_at = if is_last && on_thread().all(|(_, other)| other.status.is_terminal()) {
            Thread::AtThisRun
        } else {
            Thread::MovedOn
        };
        let asks = result.holds == Holds::Questions;
        let facts = ResumeFacts {
            status: row.status,
            thread_at,
            thread: row.thread.to_string(),
            paused: result.can_resume().then(|| Paused {
                thread: result.thread.to_string(),
                checkpoint: result.by.to_string(),
            }),
            asked: None,
            saved: Saved {
                exact: Some(result.by.to_string()),
                tip: Some(world.tip.to_string()),
                pending: asks
                    .then(|| Some("question".to_owned()))
                    .into_iter()
                    .collect(),
            },
        };
        plan_resume(&facts, &resume::ResumeAnswer::Plain).ok()
    }

    fn displace(&self, world: &mut World, rolls_back: bool) {
        let stop = if rolls_back {
            Stop::Cancelled
        } else {
            Stop::Interrupted
        };
        let action = begin(
            Phase::Open,
            Marking::Unmarked,
            self.support,
            End::Stopped(stop),
        );
        let phase = phase_after(Phase::Open, &action);
        world.others.push(Other::Displacing {
            phase,
            call: Call::new(action),
            rolls_back,
        });
    }

    fn go_on_displacing(&self, world: &mut World, phase: Phase, mut call: Call, rolls_back: bool) {
        let Some((waiting, answer)) = call.answer() else {
            self.take(world, FIRST, &mut call);
            world.others.push(Other::Displacing {
                phase,
                call: Some(call),
                rolls_back,
            });
            return;
        };
        let action: Action<Captured> = advance(phase, waiting, answer);
        if answer != HostAnswer::Failed {
            world.others.push(Other::Displacing {
                phase: phase_after(phase, &action),
                call: None,
                rolls_back,
            });
        }
    }

    /// The rows in one transaction, each with the mark and the result that a copy has.
    fn copy(&self, world: &mut World, chosen: &[Id]) -> Birth {
        let copies: Vec<(Id, Id)> = chosen
            .iter()
            .filter(|run| world.store.row(run).is_some())
            .map(|run| (*run, run + COPIED))
            .collect();
        for (from, to) in &copies {
            let Some(row) = world.store.row(from).cloned() else {
                continue;
            };
            let renamed = |id: &str| {
                copies
                    .iter()
                    .find(|(from, _)| from.to_string() == id)
                    .map(|(_, to)| to.to_string())
            };
            let lineage = row
                .lineage
                .and_then(|lineage| copied_mark(mark_of(lineage), renamed))
                .and_then(lineage_of);
            world.store.create(*to, Row::new(COPY, lineage, row.status));
        }
        if self.torn == Some(Torn::Copy) {
            world.others.push(Other::CopyingResults(copies));
            return Birth::Created;
        }
        world
            .store
            .copy_many(&copies, |result| result.copied(THREAD, COPY));
        Birth::WithResult
    }

    /// A file with a result for every run that there may be, twice for one, and two runs of its own on
    /// another thread: a task, and one that says it belongs to the task here.
    fn import(&self, world: &mut World) -> Birth {
        let thread = COPY + 1;
        let root = |task: Id| match world.store.row(&task) {
            None => Root::Unknown,
            Some(row) => Root::Run {
                thread: row.thread.to_string(),
                mark: row.lineage.map(mark_of),
            },
        };
        let marks = [
            (
                IMPORTED,
                Lineage {
                    root: IMPORTED,
                    turn: 0,
                },
            ),
            (
                FORGED,
                Lineage {
                    root: FIRST,
                    turn: 1,
                },
            ),
        ];
        let stands = |(run, lineage): (Id, Lineage<Id>)| {
            let stands = imported_mark_stands(
                &run.to_string(),
                &thread.to_string(),
                &mark_of(lineage),
                &root(lineage.root),
            );
            (run, stands.then_some(lineage))
        };
        for (run, lineage) in marks.map(stands) {
            world
                .store
                .create(run, Row::new(thread, lineage, RunStatus::Success));
        }
        let entries = [FIRST, IMPORTED, FORGED, FIRST, NEXT, ANSWERS[0]];
        let mut attached: Vec<Id> = Vec::new();
        for run in entries {
            let known = if world.store.row(&run).is_some() {
                snapshot::Run::Known
            } else {
                snapshot::Run::Unknown
            };
            let seen = if attached.contains(&run) {
                Occurrence::Again
            } else {
                Occurrence::First
            };
            if place(known, seen) == Placement::Attach {
                attached.push(run);
            }
        }
        if self.torn == Some(Torn::Import) {
            let (own, others): (Vec<Id>, Vec<Id>) = attached
                .into_iter()
                .partition(|run| [IMPORTED, FORGED].contains(run));
            world
                .store
                .attach_many(own.iter().map(|run| (*run, Captured::imported(thread))));
            let empty = others
                .into_iter()
                .filter(|run| world.store.read(run).is_none())
                .collect();
            world.others.push(Other::Importing(empty));
            return Birth::WithResult;
        }
        world.store.attach_many(
            attached
                .iter()
                .map(|run| (*run, Captured::imported(thread))),
        );
        Birth::WithResult
    }
}

fn create_next(world: &mut World, rolls_back: bool) -> Birth {
    world.has_next = true;
    world.rolls_back = rolls_back;
    let lineage = Lineage {
        root: NEXT,
        turn: 0,
    };
    world
        .store
        .create(NEXT, Row::new(THREAD, Some(lineage), RunStatus::Pending));
    Birth::Created
}

fn continuation() -> Row<Id, Captured> {
    Row::new(
        THREAD,
        Some(Lineage {
            root: FIRST,
            turn: 1,
        }),
        RunStatus::Pending,
    )
}

fn mark_of(lineage: Lineage<Id>) -> Mark {
    Mark {
        v: MARK_VERSION,
        root: lineage.root.to_string(),
        turn: lineage.turn,
        message: None,
        context: None,
    }
}

fn lineage_of(mark: Mark) -> Option<Lineage<Id>> {
    let root = mark.root.parse().ok()?;
    Some(Lineage {
        root,
        turn: mark.turn,
    })
}
