//! What the browser's own store keeps of a run: one entry, under one key.
//!
//! Row and result stand in one text, so that every step is one write of one key: nothing can be half
//! written, no index can be wrong, and deleting the run deletes its result (contract 2, 6 and 8). Two
//! tabs are kept apart by a lock around each step, which the facade takes.

use serde::{Deserialize, Serialize};

use crate::error::{Detail, Error, ErrorCode};
use crate::fields::{Fields, Outside, Wrong};
use crate::result::first_write::{Slot, Write, first_write};
use crate::run::{RunStatus, StatusOutcome, end_run};

/// The version of an entry that this package writes and reads.
pub const ENTRY_VERSION: u32 = 1;

/// The four texts of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// Always there.
    pub values: String,
    /// Absent where there are none.
    pub interrupts: Option<String>,
    /// Absent where there is none.
    pub reply: Option<String>,
    /// Absent where there is none.
    pub checkpoint: Option<String>,
}

impl Texts {
    /// The texts `{ values, interrupts?, reply?, checkpoint? }`.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(texts: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            values: texts.text("values")?,
            interrupts: texts.optional_text("interrupts")?,
            reply: texts.optional_text("reply")?,
            checkpoint: texts.optional_text("checkpoint")?,
        })
    }

    fn of_result(of: &Fields<'_, impl Outside>) -> Result<Option<Self>, Wrong> {
        of.given("result")
            .map(|texts| Self::of_given(&Fields(&texts)))
            .transpose()
    }
}

/// A run in the browser's storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The status of the run.
    pub status: RunStatus,
    /// The host's error, as JSON text.
    pub error: Option<String>,
    /// When the status was last written.
    pub updated_at: String,
    /// The thread of the run.
    pub thread: String,
    /// The rest of the host's row, as JSON text, which no rule looks into.
    pub row: String,
    /// The first result that was written.
    pub result: Option<Texts>,
    /// Names the write that made the entry what it is, so that a tab can tell whether it sees the
    /// newest one: browsers show one tab's writes to another only after a while.
    pub stamp: String,
}

/// An entry as it is written, in JSON.
#[derive(Serialize, Deserialize)]
pub struct Stored {
    /// [`ENTRY_VERSION`].
    pub v: u32,
    /// The status by its name.
    pub status: String,
    /// As in [`Entry`], and so are the others.
    pub error: Option<String>,
    #[allow(missing_docs)]
    pub updated_at: String,
    #[allow(missing_docs)]
    pub thread: String,
    #[allow(missing_docs)]
    pub row: String,
    #[allow(missing_docs)]
    pub result: Option<Texts>,
    #[allow(missing_docs)]
    pub stamp: String,
}

impl Stored {
    /// The members of a stored object.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(stored: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            v: stored.count("v")?,
            status: stored.text("status")?,
            error: stored.optional_text("error")?,
            updated_at: stored.text("updated_at")?,
            thread: stored.text("thread")?,
            row: stored.text("row")?,
            result: Texts::of_result(stored)?,
            stamp: stored.text("stamp")?,
        })
    }
}

impl Entry {
    /// A new run `{ status, error?, updatedAt, thread, row, stamp? }`, which has no result.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(row: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            status: row.named("status", RunStatus::parse)?,
            error: row.optional_text("error")?,
            updated_at: row.text("updatedAt")?,
            thread: row.text("thread")?,
            row: row.text("row")?,
            result: None,
            stamp: row.optional_text("stamp")?.unwrap_or_default(),
        })
    }

    /// Writes the first result; the entry is as it was where there is one.
    pub fn record(&mut self, texts: Texts) -> Write {
        let slot = if self.result.is_some() {
            Slot::Written
        } else {
            Slot::Empty
        };
        let write = first_write(slot);
        if write == Write::Store {
            self.result = Some(texts);
        }
        write
    }

    /// Ends the run if it is in flight, with its first result where one is given.
    pub fn settle(&mut self, end: End) -> StatusOutcome {
        let ended = end_run(self.status, end.status);
        if let StatusOutcome::Won(status) = ended {
            self.status = status;
            self.error = end.error;
            self.updated_at = end.at;
            if let Some(texts) = end.result {
                self.record(texts);
            }
        }
        ended
    }

    /// The entry as it is written.
    pub fn to_stored(&self) -> Stored {
        Stored {
            v: ENTRY_VERSION,
            status: self.status.as_str().to_owned(),
            error: self.error.clone(),
            updated_at: self.updated_at.clone(),
            thread: self.thread.clone(),
            row: self.row.clone(),
            result: self.result.clone(),
            stamp: self.stamp.clone(),
        }
    }

    /// The entry that was written under `key`.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CorruptResult`] for one that is none of this version. It is left as it is.
    pub fn of_stored(key: &str, stored: Stored) -> Result<Self, Error> {
        if stored.v != ENTRY_VERSION {
            return Err(corrupt(key, "its version is another"));
        }
        let status = RunStatus::parse(&stored.status)
            .ok_or_else(|| corrupt(key, &format!("{:?} is no run status", stored.status)))?;
        Ok(Self {
            status,
            error: stored.error,
            updated_at: stored.updated_at,
            thread: stored.thread,
            row: stored.row,
            result: stored.result,
            stamp: stored.stamp,
        })
    }
}

/// How a run is to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The terminal status.
    pub status: RunStatus,
    /// The host's error, as JSON text.
    pub error: Option<String>,
    /// When.
    pub at: String,
    /// The result, where one is captured.
    pub result: Option<Texts>,
}

impl End {
    /// The end `{ status, error?, at, result? }`.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(end: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            status: end.named("status", RunStatus::parse)?,
            error: end.optional_text("error")?,
            at: end.text("at")?,
            result: Texts::of_result(end)?,
        })
    }
}

/// The key of a run's entry. The length of the prefix stands before it, so that no prefix of one store
/// and run id of another come to the same key.
pub fn entry_key(prefix: &str, run: &str) -> String {
    format!("skein-results/{}:{prefix}/{run}", prefix.len())
}

/// The run of a key, or `None` for a key of somebody else.
pub fn run_of_key<'a>(prefix: &str, key: &'a str) -> Option<&'a str> {
    key.strip_prefix(entry_key(prefix, "").as_str())
}

/// The failure to use the browser's storage at all.
pub fn unavailable(why: &str) -> Error {
    Error::new(
        ErrorCode::StorageUnavailable,
        format!(
            "The browser's storage cannot be used: {why}. Use this store in a page whose storage is allowed, \
             or another driver."
        ),
    )
}

/// The failure to write because the storage is full, or for the reason the browser gave.
pub fn not_written(reason: &str) -> Error {
    Error::new(
        ErrorCode::StorageFull,
        format!(
            "The browser's storage did not take the run: {reason}. What was stored before is as it was; \
             delete runs that are no longer needed."
        ),
    )
}

/// The failure to read what is stored under a key.
pub fn corrupt(key: &str, why: &str) -> Error {
    Error::new(
        ErrorCode::CorruptResult,
        format!("The stored run under {key:?} cannot be read: {why}. It was left as it is; delete the run to be rid of it."),
    )
    .with("key", Detail::Text(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &str) -> Texts {
        Texts {
            values: values.to_owned(),
            interrupts: None,
            reply: Some("\"\\ud800\"".to_owned()),
            checkpoint: None,
        }
    }

    fn entry(status: RunStatus) -> Entry {
        Entry {
            status,
            error: None,
            updated_at: "2026-01-01T00:00:00.000Z".to_owned(),
            thread: "t".to_owned(),
            row: "{\"assistant_id\":\"a\"}".to_owned(),
            result: None,
            stamp: "s1".to_owned(),
        }
    }

    fn text_of(entry: &Entry) -> String {
        serde_json::to_string(&entry.to_stored()).unwrap()
    }

    fn entry_of(key: &str, text: &str) -> Result<Entry, Error> {
        let stored =
            serde_json::from_str(text).map_err(|error| corrupt(key, &error.to_string()))?;
        Entry::of_stored(key, stored)
    }

    fn end(status: RunStatus, result: Option<Texts>) -> End {
        End {
            status,
            error: None,
            at: "later".to_owned(),
            result,
        }
    }

    #[test]
    fn an_entry_reads_back_as_it_was_written() {
        let mut written = entry(RunStatus::Running);
        written.record(texts("{\"a\":1e400}"));
        let text = text_of(&written);
        assert_eq!(entry_of("k", &text), Ok(written));
    }

    #[test]
    fn the_first_result_stays() {
        let mut run = entry(RunStatus::Running);
        assert_eq!(run.record(texts("1")), Write::Store);
        assert_eq!(run.record(texts("2")), Write::Ignore);
        run.settle(end(RunStatus::Success, Some(texts("3"))));
        assert_eq!(run.result, Some(texts("1")));
    }

    #[test]
    fn a_settle_that_loses_changes_nothing() {
        let mut run = entry(RunStatus::Cancelled);
        let before = run.clone();
        let ended = run.settle(end(RunStatus::Success, Some(texts("1"))));
        assert_eq!(ended, StatusOutcome::Lost(RunStatus::Cancelled));
        assert_eq!(run, before);
    }

    #[test]
    fn a_text_that_is_no_entry_is_told_by_its_key() {
        let whole = text_of(&entry(RunStatus::Running));
        let half: String = whole.chars().take(whole.len() / 2).collect();
        let other_status = whole.replace("running", "walking");
        let other_version = whole.replace("\"v\":1", "\"v\":2");
        for text in [
            "",
            "null",
            "[]",
            "{}",
            "5",
            half.as_str(),
            &other_status,
            &other_version,
        ] {
            let refused = entry_of("the-key", text).unwrap_err();
            assert_eq!(refused.code(), ErrorCode::CorruptResult, "{text}");
            assert!(refused.message().contains("the-key"));
        }
    }

    #[test]
    fn keys_of_two_prefixes_never_meet() {
        assert_eq!(run_of_key("a", &entry_key("a", "run/1")), Some("run/1"));
        assert_eq!(run_of_key("a", &entry_key("a/b", "1")), None);
        assert_eq!(run_of_key("a/b", &entry_key("a", "b/1")), None);
        assert_eq!(run_of_key("", &entry_key("", "")), Some(""));
        assert_eq!(run_of_key("a", "somebody else's"), None);
    }
}
