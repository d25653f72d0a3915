//! What must be seen on the way, or the exploration has not been where it should.

use skein_results::run::RunStatus;
use skein_results::task::view::TaskState;

use super::texts::{BY_IMPORT, plan_of};
use super::{ANSWERS, COPIED, Explorer, FIRST, Id, NEXT, World};

type Sight = fn(&Explorer, &World) -> bool;

pub const SIGHTS: [(&str, Sight); 9] = [
    ("the task waits for an answer", |_, world| {
        is_shown(world, FIRST, TaskState::InputRequired)
    }),
    ("an answer has completed the task", |_, world| {
        is_shown(world, ANSWERS[0], TaskState::Completed)
    }),
    ("a paused task is cancelled", |_, world| {
        is_cancelled_with_result(world, FIRST)
    }),
    ("the thread has moved on from a pause", |_, world| {
        world.status(FIRST) == Some(RunStatus::Interrupted)
            && world.store.read(&FIRST).is_some()
            && is_shown(world, FIRST, TaskState::Canceled)
    }),
    ("the next turn has taken back the first run", |_, world| {
        world.rolls_back
            && world.status(FIRST).is_none()
            && world.status(NEXT) == Some(RunStatus::Success)
    }),
    ("a run is erased under its attempt", |_, world| {
        world.status(FIRST).is_none() && world.attempts.iter().any(|attempt| attempt.run == FIRST)
    }),
    ("a copy has its result", |_, world| {
        let copy = FIRST + COPIED;
        let is_task = world.store.last_of_task(&copy) == Some(&copy);
        is_task && is_shown(world, copy, TaskState::Completed)
    }),
    ("an import has given a run its result", |_, world| {
        world
            .store
            .read(&FIRST)
            .is_some_and(|result| result.by == BY_IMPORT)
    }),
    ("a cancel has won", |_, world| {
        world.status(FIRST) == Some(RunStatus::Cancelled)
    }),
];

/// All of them, by their names.
pub fn sights() -> impl Iterator<Item = &'static str> {
    SIGHTS.iter().map(|(name, _)| *name)
}

fn is_shown(world: &World, run: Id, state: TaskState) -> bool {
    let row = world.store.row(&run);
    row.is_some_and(|row| plan_of(world, run, row).state == state)
}

fn is_cancelled_with_result(world: &World, run: Id) -> bool {
    world.status(run) == Some(RunStatus::Cancelled)
        && world
            .store
            .read(&run)
            .is_some_and(|result| result.can_resume())
}
