//! First write wins (contract 2): a result, once written, is never replaced, and a run that does not
//! exist takes none.
//!
//! The memory driver and the reference semantics ask [`first_write`]; the SQL drivers carry the same
//! rule inside their one conditional statement, which [`crate::sql::result`] writes.

/// What a run holds at the moment of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// No such run: unknown, deleted, or rolled back.
    NoRun,
    /// The run exists and has no result.
    Empty,
    /// The run has its result.
    Written,
}

/// What to do with a result that somebody wants to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Store it: it is the first one.
    Store,
    /// Leave everything as it is, quietly.
    Ignore,
}

/// Decides a write by what the run holds.
pub const fn first_write(slot: Slot) -> Write {
    match slot {
        Slot::Empty => Write::Store,
        Slot::NoRun | Slot::Written => Write::Ignore,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_write_to_an_existing_run_is_stored() {
        assert_eq!(first_write(Slot::Empty), Write::Store);
        assert_eq!(first_write(Slot::Written), Write::Ignore);
        assert_eq!(first_write(Slot::NoRun), Write::Ignore);
    }
}
