//! What a copied thread's results look like (contract 9).
//!
//! A copied run gets the result of its source under its new id. Of everything in a result only the
//! checkpoint's thread coordinate changes: checkpoint, namespace, task and interrupt ids survive a copy,
//! and values, reply and interrupts are never looked into.

/// The thread coordinate of a copied checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate<'a> {
    /// As it was: it does not point at the source thread.
    Keep,
    /// The copy's own thread.
    Move(&'a str),
}

/// Decides the `thread_id` of a copied checkpoint.
pub fn coordinate<'a>(current: Option<&str>, source: &str, target: &'a str) -> Coordinate<'a> {
    if current == Some(source) {
        Coordinate::Move(target)
    } else {
        Coordinate::Keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_coordinate_on_the_source_thread_moves() {
        assert_eq!(coordinate(Some("t1"), "t1", "t2"), Coordinate::Move("t2"));
        assert_eq!(coordinate(Some("elsewhere"), "t1", "t2"), Coordinate::Keep);
        assert_eq!(coordinate(None, "t1", "t2"), Coordinate::Keep);
    }
}
