//! The meaning of a driver's primitives, written once.
//!
//! A store of runs whose every method is one atomic step. The properties and the model checker run
//! on it, and the real drivers are tested against it with the same programs. It is generic over the
//! text `T`, which it only keeps and hands on, and keeps runs in the order of their creation.

use crate::result::first_write::{Slot, Write, first_write};
use crate::run::{Pausing, RunStatus, StatusOutcome, end_pause, end_run, start_run};

/// A run's place in a task, as its mark says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lineage<Id> {
    /// The task: the id of its first run.
    pub root: Id,
    /// The place in the task, 0 for the first run.
    pub turn: u32,
}

/// A run as far as results and tasks are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row<Id, T> {
    /// The thread of the run.
    pub thread: Id,
    /// The task that the run belongs to; `None` for an ordinary run.
    pub lineage: Option<Lineage<Id>>,
    /// The status of the run row.
    pub status: RunStatus,
    /// The first result that was written.
    pub result: Option<T>,
}

impl<Id, T> Row<Id, T> {
    /// A new run, which has no result.
    pub const fn new(thread: Id, lineage: Option<Lineage<Id>>, status: RunStatus) -> Self {
        Self {
            thread,
            lineage,
            status,
            result: None,
        }
    }
}

/// Runs in the order of their creation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReferenceStore<Id, T> {
    rows: Vec<(Id, Row<Id, T>)>,
}

impl<Id, T> Default for ReferenceStore<Id, T> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<Id: Clone + Eq, T: Clone> ReferenceStore<Id, T> {
    /// Creates a run. An id that exists is overwritten: nothing of the old run stays.
    pub fn create(&mut self, run: Id, row: Row<Id, T>) {
        self.delete(&run);
        self.rows.push((run, row));
    }

    /// Deletes a run and its result.
    pub fn delete(&mut self, run: &Id) {
        self.rows.retain(|(id, _)| id != run);
    }

    /// Deletes the runs of a thread and their results.
    pub fn delete_thread(&mut self, thread: &Id) {
        self.rows.retain(|(_, row)| row.thread != *thread);
    }

    /// The run's row.
    pub fn row(&self, run: &Id) -> Option<&Row<Id, T>> {
        self.rows
            .iter()
            .find(|(id, _)| id == run)
            .map(|(_, row)| row)
    }

    /// The run's row, to be written without any condition, as a host can.
    pub fn row_mut(&mut self, run: &Id) -> Option<&mut Row<Id, T>> {
        let found = self.rows.iter_mut().find(|(id, _)| id == run);
        found.map(|(_, row)| row)
    }

    /// All runs, in the order of their creation.
    pub fn rows(&self) -> impl Iterator<Item = (&Id, &Row<Id, T>)> {
        self.rows.iter().map(|(id, row)| (id, row))
    }

    /// The host's own unconditional status write; nothing for an unknown run.
    pub fn set_status(&mut self, run: &Id, status: RunStatus) {
        if let Some(row) = self.row_mut(run) {
            row.status = status;
        }
    }

    /// The primitive `start`: `None` for an unknown run.
    pub fn start(&mut self, run: &Id) -> Option<StatusOutcome> {
        let row = self.row_mut(run)?;
        let started = start_run(row.status);
        if started == StatusOutcome::Won(RunStatus::Running) {
            row.status = RunStatus::Running;
        }
        Some(started)
    }

    /// The primitive `record`.
    pub fn record(&mut self, run: &Id, result: T) -> Write {
        let slot = match self.row(run) {
            None => Slot::NoRun,
            Some(Row { result: None, .. }) => Slot::Empty,
            Some(Row {
                result: Some(_), ..
            }) => Slot::Written,
        };
        let write = first_write(slot);
        if let (Write::Store, Some(row)) = (write, self.row_mut(run)) {
            row.result = Some(result);
        }
        write
    }

    /// The primitive `read`.
    pub fn read(&self, run: &Id) -> Option<&T> {
        self.row(run)?.result.as_ref()
    }

    /// The primitive `settle`: `None` for an unknown run.
    pub fn settle(
        &mut self,
        run: &Id,
        status: RunStatus,
        result: Option<T>,
    ) -> Option<StatusOutcome> {
        let row = self.row_mut(run)?;
        let ended = end_run(row.status, status);
        if let StatusOutcome::Won(status) = ended {
            row.status = status;
            if let Some(result) = result {
                self.record(run, result);
            }
        }
        Some(ended)
    }

    /// The primitive `cancel`: `None` for an unknown run.
    pub fn cancel(&mut self, run: &Id) -> Option<StatusOutcome> {
        self.settle(run, RunStatus::Cancelled, None)
    }

    /// The primitive `readMany`: in the order asked for, without the runs that have no result.
    pub fn read_many(&self, runs: &[Id]) -> Vec<(Id, T)> {
        let read = |run: &Id| Some((run.clone(), self.read(run)?.clone()));
        runs.iter().filter_map(read).collect()
    }

    /// The primitive `attachMany`.
    pub fn attach_many(&mut self, entries: impl IntoIterator<Item = (Id, T)>) {
        for (run, result) in entries {
            self.record(&run, result);
        }
    }

    /// The primitive `copyMany`: each target gets what `copied` makes of the result of its source.
    pub fn copy_many(&mut self, copies: &[(Id, Id)], copied: impl Fn(&T) -> T) {
        let made = |(from, to): &(Id, Id)| Some((to.clone(), copied(self.read(from)?)));
        let made: Vec<_> = copies.iter().filter_map(made).collect();
        self.attach_many(made);
    }

    /// The primitive `cancelPaused`: `None` for an unknown run. `can_resume` says whether a result
    /// can be resumed from.
    pub fn cancel_paused(
        &mut self,
        run: &Id,
        can_resume: impl Fn(&T) -> bool,
    ) -> Option<StatusOutcome> {
        let ended = end_pause(self.row(run)?.status, self.pausing(run, can_resume));
        if let StatusOutcome::Won(status) = ended {
            self.set_status(run, status);
        }
        Some(ended)
    }

    /// The primitive `passOver`: the paused tasks that came before a run on its thread are given up.
    pub fn pass_over(&mut self, run: &Id, can_resume: impl Fn(&T) -> bool) {
        let Some(thread) = self.row(run).map(|row| row.thread.clone()) else {
            return;
        };
        let before = self.rows.iter().take_while(|(id, _)| id != run);
        let passed: Vec<Id> = before
            .filter(|(_, row)| row.thread == thread)
            .map(|(id, _)| id.clone())
            .collect();
        for id in passed {
            self.cancel_paused(&id, &can_resume);
        }
    }

    /// The primitive `admitResume`: creates the continuation if the paused run is still the last of
    /// its thread and none is in flight; answers whether it did.
    pub fn admit_resume(&mut self, paused: &Id, run: Id, row: Row<Id, T>) -> bool {
        let admitted = self.is_resumable(paused);
        if admitted {
            self.create(run, row);
        }
        admitted
    }

    /// Whether a run is paused, the last of its thread, and the thread idle.
    pub fn is_resumable(&self, paused: &Id) -> bool {
        let Some(row) = self.row(paused) else {
            return false;
        };
        let on_thread = || {
            self.rows
                .iter()
                .filter(|(_, other)| other.thread == row.thread)
        };
        row.status == RunStatus::Interrupted
            && on_thread().next_back().is_some_and(|(id, _)| id == paused)
            && on_thread().all(|(_, other)| other.status.is_terminal())
    }

    /// The last run of a task, by which it is shown; `None` where its first run is gone, or is none.
    pub fn last_of_task(&self, task: &Id) -> Option<&Id> {
        let first = self.row(task)?;
        let is_first = |lineage: Lineage<Id>| lineage.root == *task && lineage.turn == 0;
        if !first.lineage.clone().is_some_and(is_first) {
            return None;
        }
        let of_task = self.rows.iter().filter_map(|(id, row)| {
            let lineage = row.lineage.as_ref()?;
            (row.thread == first.thread && lineage.root == *task).then_some((lineage.turn, id))
        });
        of_task.max_by_key(|(turn, _)| *turn).map(|(_, id)| id)
    }

    /// Whether a later run of the thread has started.
    pub fn has_moved_on(&self, run: &Id) -> bool {
        let Some(thread) = self.row(run).map(|row| &row.thread) else {
            return false;
        };
        let later = self.rows.iter().skip_while(|(id, _)| id != run).skip(1);
        later
            .filter(|(_, row)| row.thread == *thread)
            .any(|(_, row)| row.status != RunStatus::Pending)
    }

    fn pausing(&self, run: &Id, can_resume: impl Fn(&T) -> bool) -> Pausing {
        let root = self.row(run).and_then(|row| row.lineage.as_ref());
        let is_last = root.and_then(|lineage| self.last_of_task(&lineage.root)) == Some(run);
        if is_last && self.read(run).is_some_and(can_resume) {
            Pausing::Open
        } else {
            Pausing::Over
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused_task() -> ReferenceStore<u8, u8> {
        let mut store = ReferenceStore::default();
        let first = Lineage { root: 1, turn: 0 };
        store.create(1, Row::new(100, Some(first), RunStatus::Running));
        store.settle(&1, RunStatus::Interrupted, Some(7));
        store
    }

    #[test]
    fn a_cancel_ends_what_is_in_flight_and_nothing_else() {
        let mut store = paused_task();
        store.create(2, Row::new(100, None, RunStatus::Running));
        assert_eq!(
            store.cancel(&2),
            Some(StatusOutcome::Won(RunStatus::Cancelled))
        );
        assert_eq!(
            store.cancel(&2),
            Some(StatusOutcome::Lost(RunStatus::Cancelled))
        );
        assert_eq!(
            store.cancel(&1),
            Some(StatusOutcome::Lost(RunStatus::Interrupted))
        );
        assert_eq!(store.cancel(&3), None);
    }

    #[test]
    fn a_thread_takes_its_own_runs_with_it() {
        let mut store = paused_task();
        store.create(2, Row::new(200, None, RunStatus::Success));
        store.delete_thread(&100);
        assert_eq!(store.rows().map(|(id, _)| *id).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn a_task_is_known_by_its_first_run_and_stays_on_its_thread() {
        let mut store = paused_task();
        let mut add = |run, thread, root, turn| {
            store.create(
                run,
                Row::new(thread, Some(Lineage { root, turn }), RunStatus::Success),
            );
        };
        add(2, 100, 1, 1);
        // On another thread, of another task, and one that is no first run.
        add(3, 200, 1, 2);
        add(4, 100, 4, 0);
        add(5, 100, 5, 1);
        assert_eq!(store.last_of_task(&1), Some(&2));
        assert_eq!(store.last_of_task(&4), Some(&4));
        for none in [2, 3, 5, 6] {
            assert_eq!(store.last_of_task(&none), None, "{none}");
        }
    }

    #[test]
    fn a_run_that_is_created_again_inherits_nothing_and_is_the_last_of_its_thread() {
        let mut store = paused_task();
        store.create(2, Row::new(100, None, RunStatus::Success));
        store.create(1, Row::new(100, None, RunStatus::Pending));
        assert_eq!(store.read(&1), None);
        assert_eq!(store.rows().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_paused_task_is_given_up_once_and_only_by_its_last_run() {
        let mut store = paused_task();
        let next = Lineage { root: 1, turn: 1 };
        assert!(store.admit_resume(&1, 2, Row::new(100, Some(next), RunStatus::Pending)));
        assert_eq!(
            store.cancel_paused(&1, |_| true),
            Some(StatusOutcome::Lost(RunStatus::Interrupted))
        );
        store.settle(&2, RunStatus::Interrupted, Some(8));
        assert_eq!(
            store.cancel_paused(&2, |_| true),
            Some(StatusOutcome::Won(RunStatus::Cancelled))
        );
        assert_eq!(
            store.cancel_paused(&2, |_| true),
            Some(StatusOutcome::Lost(RunStatus::Cancelled))
        );
    }

    #[test]
    fn a_displaced_run_is_no_pause_that_could_be_given_up() {
        let mut store = paused_task();
        assert_eq!(
            store.cancel_paused(&1, |_| false),
            Some(StatusOutcome::Lost(RunStatus::Interrupted))
        );
    }

    #[test]
    fn a_run_that_starts_passes_over_what_was_paused_before_it_on_its_thread() {
        let mut store = paused_task();
        store.create(2, Row::new(100, None, RunStatus::Pending));
        assert!(!store.has_moved_on(&1));
        assert_eq!(
            store.start(&2),
            Some(StatusOutcome::Won(RunStatus::Running))
        );
        assert!(store.has_moved_on(&1));
        store.pass_over(&2, |_| true);
        assert_eq!(
            store.row(&1).map(|row| row.status),
            Some(RunStatus::Cancelled)
        );
    }

    #[test]
    fn of_two_answers_one_is_admitted() {
        let mut store = paused_task();
        let next = || Row::new(100, Some(Lineage { root: 1, turn: 1 }), RunStatus::Pending);
        assert!(store.admit_resume(&1, 2, next()));
        assert!(!store.admit_resume(&1, 3, next()));
        store.settle(&2, RunStatus::Success, None);
        assert!(!store.admit_resume(&1, 3, next()));
        assert_eq!(store.last_of_task(&1), Some(&2));
    }

    #[test]
    fn copies_get_what_is_made_of_the_results_of_their_sources() {
        let mut store = paused_task();
        store.create(11, Row::new(101, None, RunStatus::Interrupted));
        store.create(12, Row::new(101, None, RunStatus::Success));
        store.copy_many(&[(1, 11), (2, 12)], |text| text + 1);
        assert_eq!(store.read_many(&[11, 12, 1]), [(11, 8), (1, 7)]);
    }
}
