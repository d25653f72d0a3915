//! Merging the result entries of a snapshot (contract 7).
//!
//! Entries are optional: an old snapshot has none. An entry attaches only to a run that exists when the
//! import is done, whatever its status; an orphan is ignored, and of two entries for one run the first
//! counts. A malformed entry refuses the whole import, by its place, before anything is written. That
//! an entry never replaces a result is the store's conditional write ([`crate::result::first_write`]).

use crate::error::{Detail, Error, ErrorCode};

/// The version of a snapshot that this package reads. A snapshot without one is of this version.
pub const SNAPSHOT_VERSION: u32 = 1;

/// What the `results` member of a snapshot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntriesShape {
    /// Absent, null, or empty: there are no entries.
    Empty,
    /// A list of `[run id, result]`.
    List,
    /// Anything else.
    Other,
}

/// Accepts the `results` member of a snapshot.
///
/// # Errors
///
/// [`ErrorCode::InvalidSnapshot`] for one that is no list.
pub fn entries(member: EntriesShape) -> Result<EntriesShape, Error> {
    match member {
        EntriesShape::Empty | EntriesShape::List => Ok(member),
        EntriesShape::Other => Err(Error::new(
            ErrorCode::InvalidSnapshot,
            "The `results` of this snapshot are no list. Nothing was imported. They are [[run id, result], …], null, or left out.",
        )),
    }
}

/// Accepts the version of a snapshot: none, or the one this package reads.
///
/// # Errors
///
/// [`ErrorCode::InvalidSnapshot`] for another one; `found` is how it reads.
pub fn supported_version(found: Option<&str>) -> Result<(), Error> {
    match found {
        None => Ok(()),
        Some(version) if version == SNAPSHOT_VERSION.to_string() => Ok(()),
        Some(version) => Err(Error::new(
            ErrorCode::InvalidSnapshot,
            format!(
                "This snapshot is of version {version}, and this package reads version {SNAPSHOT_VERSION}. Nothing was imported."
            ),
        )),
    }
}

/// The failure of the entry at `index`; `run` is its run where it names one.
pub fn malformed_entry(index: u32, run: Option<&str>, why: &str) -> Error {
    let whose = run.map_or_else(String::new, |run| format!(", of run {run:?},"));
    let error = Error::new(
        ErrorCode::InvalidSnapshot,
        format!("Entry {index}{whose} of the snapshot's results is malformed: {why} Nothing was imported."),
    )
    .with("entry", Detail::Text(index.to_string()));
    match run {
        Some(run) => error.with("runId", Detail::Text(run.to_owned())),
        None => error,
    }
}

/// Whether the run of an entry exists, or is part of the import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// It does.
    Known,
    /// It does not, and the entry is an orphan.
    Unknown,
}

/// Why an entry is malformed, before its result is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is no pair.
    NoPair,
    /// Its run id is no text.
    NoRunId,
}

impl Malformed {
    /// The sentence for a person.
    pub const fn why(self) -> &'static str {
        match self {
            Self::NoPair => "it is no pair of a run id and a result.",
            Self::NoRunId => "its run id is no text.",
        }
    }
}

/// What to do with a well-formed entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Attach it to its run.
    Attach,
    /// Leave it: nobody has its run.
    Orphan,
    /// Leave it: an earlier entry is for the same run.
    Duplicate,
}

/// Whether the import has met an entry for the run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// This is the first one.
    First,
    /// There was an earlier one.
    Again,
}

/// Places a well-formed entry.
pub const fn place(run: Run, seen: Occurrence) -> Placement {
    match (run, seen) {
        (Run::Unknown, _) => Placement::Orphan,
        (Run::Known, Occurrence::First) => Placement::Attach,
        (Run::Known, Occurrence::Again) => Placement::Duplicate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_without_entries_is_one() {
        assert_eq!(entries(EntriesShape::Empty), Ok(EntriesShape::Empty));
        assert_eq!(entries(EntriesShape::List), Ok(EntriesShape::List));
        let refused = entries(EntriesShape::Other).map_err(|error| error.code());
        assert_eq!(refused, Err(ErrorCode::InvalidSnapshot));
    }

    #[test]
    fn only_the_version_that_is_understood_is_read() {
        assert!(supported_version(None).is_ok());
        assert!(supported_version(Some("1")).is_ok());
        for other in ["0", "2", "99", "", "1.0", "null"] {
            assert!(supported_version(Some(other)).is_err(), "{other}");
        }
    }

    #[test]
    fn the_first_of_two_entries_counts_and_orphans_are_left() {
        assert_eq!(place(Run::Known, Occurrence::First), Placement::Attach);
        assert_eq!(place(Run::Known, Occurrence::Again), Placement::Duplicate);
        assert_eq!(place(Run::Unknown, Occurrence::First), Placement::Orphan);
        assert_eq!(place(Run::Unknown, Occurrence::Again), Placement::Orphan);
    }

    #[test]
    fn a_malformed_entry_is_named_by_its_place_and_its_run() {
        let error = malformed_entry(3, Some("r\"1"), "no values.");
        assert!(error.message().contains("Entry 3, of run \"r\\\"1\","));
        assert_eq!(malformed_entry(0, None, "no pair.").details().len(), 1);
    }
}
