//! The meaning of a driver's primitives, written once.
//!
//! A store of runs whose every method is one atomic step. The properties and the model checker run
//! on it, and real drivers are tested against it with the same programs. It is generic over the text
//! `T`, which it only keeps and hands on.

use std::collections::BTreeMap;

use crate::first_write::{Slot, Write, first_write};
use crate::run::{Ended, RunStatus, end_run};

/// A run as far as results are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row<T> {
    /// The status of the run row.
    pub status: RunStatus,
    /// The first result that was written.
    pub result: Option<T>,
}

/// Runs by id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReferenceStore<Id: Ord, T> {
    rows: BTreeMap<Id, Row<T>>,
}

impl<Id: Ord, T> Default for ReferenceStore<Id, T> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
        }
    }
}

impl<Id: Ord, T: Clone> ReferenceStore<Id, T> {
    /// Creates a run. An id that exists is overwritten, and inherits no result.
    pub fn create(&mut self, run: Id, status: RunStatus) {
        self.rows.insert(
            run,
            Row {
                status,
                result: None,
            },
        );
    }

    /// Deletes a run and its result.
    pub fn delete(&mut self, run: &Id) {
        self.rows.remove(run);
    }

    /// The run's row.
    pub fn row(&self, run: &Id) -> Option<&Row<T>> {
        self.rows.get(run)
    }

    /// The host's own unconditional status write; nothing for an unknown run.
    pub fn set_status(&mut self, run: &Id, status: RunStatus) {
        if let Some(row) = self.rows.get_mut(run) {
            row.status = status;
        }
    }

    /// The primitive `record`.
    pub fn record(&mut self, run: &Id, result: T) -> Write {
        let slot = match self.rows.get(run) {
            None => Slot::NoRun,
            Some(Row { result: None, .. }) => Slot::Empty,
            Some(Row {
                result: Some(_), ..
            }) => Slot::Written,
        };
        let write = first_write(slot);
        if let (Write::Store, Some(row)) = (write, self.rows.get_mut(run)) {
            row.result = Some(result);
        }
        write
    }

    /// The primitive `read`.
    pub fn read(&self, run: &Id) -> Option<&T> {
        self.rows.get(run)?.result.as_ref()
    }

    /// The primitive `settle`: `None` for an unknown run.
    pub fn settle(&mut self, run: &Id, status: RunStatus, result: Option<T>) -> Option<Ended> {
        let row = self.rows.get_mut(run)?;
        let ended = end_run(row.status, status);
        if let Ended::Won(status) = ended {
            row.status = status;
            if let Some(result) = result {
                self.record(run, result);
            }
        }
        Some(ended)
    }

    /// The primitive `cancel`: `None` for an unknown run.
    pub fn cancel(&mut self, run: &Id) -> Option<Ended> {
        self.settle(run, RunStatus::Cancelled, None)
    }
}
