//! What the world keeps as a result: who wrote it, and what of it a rule looks into.

use skein_results::reference::Row;
use skein_results::result::copy::{Coordinate, coordinate};
use skein_results::task::view::{Pause, Shape, TaskFacts, TaskPlan, Thread, plan_task};

use super::World;

/// A run or a thread.
pub type Id = u8;

/// The result of an import, which no attempt has written.
pub const BY_IMPORT: u8 = 255;

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Captured {
    /// The attempt that came to it; also the id of its checkpoint.
    pub by: u8,
    pub holds: Holds,
    /// The thread of its checkpoint.
    pub thread: Id,
}

/// What a result holds beside its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    Values,
    Checkpoint,
    Questions,
}

impl Captured {
    pub const fn imported(thread: Id) -> Self {
        Self {
            by: BY_IMPORT,
            holds: Holds::Values,
            thread,
        }
    }

    pub const fn pause(&self) -> Pause {
        match self.holds {
            Holds::Values => Pause::None,
            Holds::Checkpoint => Pause::Breakpoint,
            Holds::Questions => Pause::Questions,
        }
    }

    pub const fn can_resume(&self) -> bool {
        !matches!(self.holds, Holds::Values)
    }

    /// As a copy of its thread has it.
    pub fn copied(&self, source: Id, target: Id) -> Self {
        let names = [source, target].map(|thread| thread.to_string());
        let [from, to] = &names;
        let thread = match coordinate(Some(&self.thread.to_string()), from, to) {
            Coordinate::Keep => self.thread,
            Coordinate::Move(_) => target,
        };
        Self { thread, ..*self }
    }
}

/// How a run is shown.
pub fn plan_of(world: &World, run: Id, row: &Row<Id, Captured>) -> TaskPlan {
    let thread = if world.store.has_moved_on(&run) {
        Thread::MovedOn
    } else {
        Thread::AtThisRun
    };
    plan_task(TaskFacts {
        status: row.status,
        reply: Shape::Absent,
        values: row.result.map_or(Shape::Absent, |_| Shape::Data),
        pause: row.result.map_or(Pause::None, |result| result.pause()),
        thread,
    })
}
