//! The promises of `invariants`, asked after every step.

use skein_results::invariants::{
    Birth, Invariant, Seen, broken_at, broken_by, has_come_back, is_apart, is_astray, knows_the_end,
};
use skein_results::reference::Row;
use skein_results::result::capture::{Marking, Phase};
use skein_results::run::RunStatus;
use skein_results::task::view::Pause;

use super::attempts::one_write;
use super::texts::{BY_IMPORT, Captured, Id, plan_of};
use super::{Explorer, World};

impl Explorer {
    pub(super) fn check(&self, before: &World, after: &mut World, birth: Birth) {
        let mut broken: Vec<Invariant> = Vec::new();
        for (run, row) in after.store.rows() {
            let now = seen(after, *run, row);
            let earlier = before.store.row(run).map(|row| seen(before, *run, row));
            broken.extend(broken_at(&now));
            broken.extend(broken_by(earlier.as_ref(), Some(&now), birth));
            let captured = row.result.is_some_and(|result| result.by != BY_IMPORT);
            if one_write(self.support) && is_apart(&now, captured) {
                broken.push(Invariant::NeverApart);
            }
            if self.task_came_back(before, after, *run) {
                broken.push(Invariant::TaskEndsForEver);
            }
            let checkpoint = row.result.filter(|_| captured);
            if is_astray(
                &row.thread,
                checkpoint.as_ref().map(|result| &result.thread),
            ) {
                broken.push(Invariant::OwnCheckpoint);
            }
            let task = row
                .lineage
                .and_then(|lineage| after.store.row(&lineage.root));
            if is_astray(&row.thread, task.map(|task| &task.thread)) {
                broken.push(Invariant::OwnTask);
            }
            if continues_twice(after, *run, row) {
                broken.push(Invariant::OneContinuation);
            }
        }
        for attempt in &after.attempts {
            let Phase::Settled(told) = attempt.reached else {
                continue;
            };
            let status = after.status(attempt.run);
            if status.is_some_and(|status| !knows_the_end(told, status)) {
                broken.push(Invariant::AttemptKnowsTheEnd);
            }
        }
        broken
            .into_iter()
            .for_each(|invariant| after.breaks(invariant));
    }

    /// Of the task with this first run, by its last run; a last run that is erased takes its end with it.
    ///
    /// In the weaker order a result may arrive on a run that was displaced meanwhile, which then looks
    /// paused until the run that displaced it has started. Nothing can resume it.
    fn task_came_back(&self, before: &World, after: &World, task: Id) -> bool {
        let last_of = |world: &World| world.store.last_of_task(&task).copied();
        let (Some(was), Some(is)) = (last_of(before), last_of(after)) else {
            return false;
        };
        let (Some(earlier), Some(now)) = (before.store.row(&was), after.store.row(&is)) else {
            return false;
        };
        let arrived = earlier.result.is_none() && now.result.is_some();
        let displaced = earlier.status == RunStatus::Interrupted && arrived;
        if after.store.row(&was).is_none() || (displaced && !one_write(self.support)) {
            return false;
        }
        has_come_back(&seen(before, was, earlier), &seen(after, is, now))
    }
}

fn seen<'a>(world: &World, run: Id, row: &'a Row<Id, Captured>) -> Seen<'a, Captured> {
    let marking = match row.lineage {
        Some(_) => Marking::Marked,
        None => Marking::Unmarked,
    };
    Seen {
        marking,
        status: row.status,
        result: row.result.as_ref(),
        pause: row.result.map_or(Pause::None, |result| result.pause()),
        shown: plan_of(world, run, row),
    }
}

/// Two runs of one task that are its same turn.
fn continues_twice(world: &World, run: Id, row: &Row<Id, Captured>) -> bool {
    let Some(lineage) = row.lineage else {
        return false;
    };
    world.store.rows().any(|(other, other_row)| {
        *other != run && other_row.thread == row.thread && other_row.lineage == Some(lineage)
    })
}
