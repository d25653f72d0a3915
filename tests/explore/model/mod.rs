//! The world that the explorer walks through: one task's run on a thread, everything that can happen
//! to it, and a store. The rules that decide are those that ship; here is only who calls whom, and
//! that anything may happen between two host calls.

mod attempts;
mod checks;
mod events;
mod found;
mod sights;
mod texts;
mod torn;

use skein_results::invariants::Invariant;
use skein_results::reference::{Lineage, ReferenceStore, Row};
use skein_results::result::capture::Support;
use skein_results::run::RunStatus;
use stateright::{Model, Property};

pub use attempts::Attempt;
pub use events::{Event, Other};
pub use found::Found;
pub use sights::sights;
pub use texts::{Captured, Id};
pub use torn::Torn;

/// The thread of the task.
pub const THREAD: Id = 100;
/// Where the thread is copied to.
pub const COPY: Id = 101;
/// The task's first run.
pub const FIRST: Id = 1;
/// The runs that two answers to its pause would start.
pub const ANSWERS: [Id; 2] = [2, 3];
/// Another turn on the thread: a task of its own.
pub const NEXT: Id = 4;
/// A run that an import brings along, with its result.
pub const IMPORTED: Id = 5;
/// A run that an import brings along, and that says it belongs to the task.
pub const FORGED: Id = 6;
/// What is added to the id of a run by a copy of its thread.
pub const COPIED: Id = 10;

/// How much may happen.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Attempts to execute a run: the first, and those of the queue.
    pub attempts: u8,
    /// Processes that die, host calls that fail before or after they took effect, and settles that
    /// are entered again.
    pub mishaps: u8,
    /// What comes from outside: cancels, deletions, copies and the like.
    pub events: u8,
}

/// A store and a bound.
#[derive(Clone, Copy, Debug)]
pub struct Explorer {
    /// What the store offers for a settle.
    pub support: Support,
    /// The primitive that is not atomic, if there is one.
    pub torn: Option<Torn>,
    /// How much may happen.
    pub bound: Bound,
}

/// How much has happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spent {
    pub mishaps: u8,
    /// The events, by their bits.
    pub events: u16,
    /// The attempts of each run, by its id.
    pub attempts: [u8; 7],
}

/// One state of everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub store: ReferenceStore<Id, Captured>,
    /// Executions that have not come to their end, or may be entered again.
    pub attempts: Vec<Attempt>,
    /// What else is under way, and stands between two steps.
    pub others: Vec<Other>,
    /// Who wrote the newest checkpoint of the thread; 0 for none.
    pub tip: u8,
    /// The checkpoint that an admitted answer resumes, and the tip that its first attempt began from.
    pub resumes: u8,
    pub base: u8,
    /// Whether there has been a next turn, and whether it takes back what it displaced.
    pub has_next: bool,
    pub rolls_back: bool,
    pub spent: Spent,
    /// The promises broken so far, by their bits.
    pub broken: u16,
}

/// One step: what one participant does between two host calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An attempt does the next thing that it can do.
    Attempt(usize, attempts::Move),
    /// The queue starts a run.
    Start(Id),
    /// Something comes from outside.
    Event(Event),
    /// What is under way goes on.
    Other(usize, events::Move),
}

impl World {
    pub fn breaks(&mut self, invariant: Invariant) {
        self.broken |= 1 << (invariant as u16);
    }

    pub fn has_broken(&self, invariant: Invariant) -> bool {
        self.broken & (1 << (invariant as u16)) != 0
    }

    pub fn status(&self, run: Id) -> Option<RunStatus> {
        self.store.row(&run).map(|row| row.status)
    }
}

impl Model for Explorer {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        let mut store = ReferenceStore::default();
        let first = Lineage {
            root: FIRST,
            turn: 0,
        };
        store.create(FIRST, Row::new(THREAD, Some(first), RunStatus::Pending));
        vec![World {
            store,
            attempts: Vec::new(),
            others: Vec::new(),
            tip: 0,
            resumes: 0,
            base: 0,
            has_next: false,
            rolls_back: false,
            spent: Spent::default(),
            broken: 0,
        }]
    }

    /// A world in which a promise is broken leads nowhere: it has been found.
    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        if world.broken != 0 {
            return;
        }
        self.attempt_moves(world, steps);
        self.starts(world, steps);
        self.events(world, steps);
        self.other_moves(world, steps);
    }

    fn next_state(&self, before: &World, step: Step) -> Option<World> {
        let mut world = before.clone();
        let birth = match step {
            Step::Attempt(place, made) => self.advance_attempt(&mut world, place, made),
            Step::Start(run) => self.start(&mut world, run),
            Step::Event(event) => self.begin_event(&mut world, event),
            Step::Other(place, made) => self.advance_other(&mut world, place, made),
        };
        self.check(before, &mut world, birth);
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(sentence(0), |_, world: &World| !broken(world, 0)),
            Property::always(sentence(1), |_, world: &World| !broken(world, 1)),
            Property::always(sentence(2), |_, world: &World| !broken(world, 2)),
            Property::always(sentence(3), |_, world: &World| !broken(world, 3)),
            Property::always(sentence(4), |_, world: &World| !broken(world, 4)),
            Property::always(sentence(5), |_, world: &World| !broken(world, 5)),
            Property::always(sentence(6), |_, world: &World| !broken(world, 6)),
            Property::always(sentence(7), |_, world: &World| !broken(world, 7)),
            Property::always(sentence(8), |_, world: &World| !broken(world, 8)),
            Property::always(sentence(9), |_, world: &World| !broken(world, 9)),
            Property::always(sentence(10), |_, world: &World| !broken(world, 10)),
            Property::always(sentence(11), |_, world: &World| !broken(world, 11)),
            Property::always(sentence(12), |_, world: &World| !broken(world, 12)),
            Property::always(sentence(13), |_, world: &World| !broken(world, 13)),
            Property::always(sentence(14), |_, world: &World| !broken(world, 14)),
            Property::always(sentence(15), |_, world: &World| !broken(world, 15)),
        ]
        .into_iter()
        .chain(sights::SIGHTS.map(|(name, seen)| Property::sometimes(name, seen)))
        .collect()
    }
}

fn sentence(place: usize) -> &'static str {
    Invariant::ALL[place].sentence()
}

fn broken(world: &World, place: usize) -> bool {
    world.has_broken(Invariant::ALL[place])
}
