//! The server's mark on a run: the only thing that asks for capture (contract 4), and the task's
//! lineage.
//!
//! The mark stands in the run's stored kwargs, under one reserved key, which the server sets out of
//! band. It grants no authority (contract 11): it says which task a run belongs to, never who may
//! read it.

use serde::Serialize;

use crate::error::{Error, ErrorCode};
use crate::fields::{Fields, Outside, Wrong};

/// The reserved top-level key of a run's kwargs. A client's own value under this key is removed
/// before the kwargs are stored.
pub const MARK_KEY: &str = "$skein_task";

/// The version of the mark that this package writes and reads.
pub const MARK_VERSION: u32 = 1;

/// A run's mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The version of this shape.
    pub v: u32,
    /// The task id: the id of the first run of the lineage.
    pub root: String,
    /// The run's place in the lineage, 0 for the first. It survives a copy, where times do not.
    pub turn: u32,
    /// The A2A message that started the run, as JSON text, for the task's history.
    pub message: Option<String>,
    /// The name by which the caller knows the thread, where it is another than the thread's id. It
    /// belongs to this thread and is not copied with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

impl Mark {
    /// A new mark of `{ root, turn, message, context? }`.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidMark`].
    pub fn of_given(given: &Fields<'_, impl Outside>) -> Result<Self, Error> {
        Self::read(MARK_VERSION, given)
            .map_err(|wrong| invalid(&wrong))?
            .validated()
    }

    /// The mark that stands in kwargs; `None` for what is none that this version understands.
    pub fn of_stored(stored: &Fields<'_, impl Outside>) -> Option<Self> {
        let version = stored.count("v").ok()?;
        Self::read(version, stored).ok()?.validated().ok()
    }

    fn read(v: u32, given: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            v,
            root: given.text("root")?,
            turn: given.count("turn")?,
            message: given.optional_text("message")?,
            context: given.optional_text("context")?,
        })
    }

    /// The mark if it is one that this version understands.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::InvalidMark`]: another version, or no task id.
    pub fn validated(self) -> Result<Self, Error> {
        if self.v != MARK_VERSION {
            return Err(invalid(&format!(
                "its version is {}, not {MARK_VERSION}",
                self.v
            )));
        }
        if self.root.is_empty() {
            return Err(invalid("its `root`, the task id, is empty"));
        }
        Ok(self)
    }
}

/// The failure of something that is no mark.
pub fn invalid(why: &str) -> Error {
    Error::new(
        ErrorCode::InvalidMark,
        format!(
            "This is no mark of a run: {why}. Pass {{ root, turn, message }} with the task id, a turn from 0, and the message's JSON text or null."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        Mark {
            v: MARK_VERSION,
            root: "run-1".to_owned(),
            turn: 0,
            message: None,
            context: None,
        }
    }

    #[test]
    fn a_mark_of_this_version_with_a_task_id_is_valid() {
        assert_eq!(mark().validated(), Ok(mark()));
    }

    #[test]
    fn another_version_or_an_empty_task_id_is_refused() {
        for bad in [
            Mark { v: 2, ..mark() },
            Mark {
                root: String::new(),
                ..mark()
            },
        ] {
            let refused = bad.validated().map_err(|error| error.code());
            assert_eq!(refused, Err(ErrorCode::InvalidMark));
        }
    }
}
