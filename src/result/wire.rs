//! What the wire can carry, and how a failure to carry it is told.
//!
//! A stored result equals `JSON.parse(serializeWireJson(value))` of the host (contract 2). The
//! walk itself is the engine's own `JSON.stringify` with the host's replacer (`src/js/wire.js`):
//! nothing else reads getters, `toJSON` and `toDict` in exactly the host's order. What is decided
//! here are the limits on depth and length, which members a result has, and the typed failure with the path to
//! the place.

use crate::error::{Detail, Error, ErrorCode};

/// The deepest nesting of arrays and objects that a result may have, its own members being level 1.
///
/// The engine's own limit moves with the free stack; this one is the same everywhere, so whatever a
/// capture accepts, every later path can read.
pub const MAX_DEPTH: u32 = 1_000;

/// The longest that the texts of a result may be together, in UTF-16 code units: 2^27.
///
/// A database holds them in UTF-8, in up to three times as many bytes, and an engine makes no text of
/// more bytes than its longest text has characters: one that is stored all the same is the end of the
/// process that reads it. This limit is the same everywhere, like that of depth.
pub const MAX_LENGTH: u32 = 134_217_728;

const _: () = {
    /// V8's, in 64 bits.
    const LONGEST_TEXT: u32 = 536_870_888;
    /// `SQLITE_MAX_LENGTH`, for all columns of a row.
    const SQLITE_ROW: u32 = 1_000_000_000;
    /// A message of Postgres, which a row is sent in.
    const POSTGRES_MESSAGE: u32 = 1_073_741_823;
    let bytes = MAX_LENGTH.saturating_mul(3);
    assert!(bytes < LONGEST_TEXT);
    assert!(bytes < SQLITE_ROW);
    assert!(bytes < POSTGRES_MESSAGE);
};

/// The largest size of a member of a result, 2^29 characters: those of its texts, 8 for each value that
/// is no array or object, and 32 for each that is one, as often as it is written.
///
/// An object in several places is written in each, so what doubles at every level soon has no end. An
/// engine whose longest text is no longer than this (V8's) goes on to that end before it fails.
pub const MAX_SIZE: u32 = 536_870_912;

/// The members of a result, in the order in which they are read, serialized and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The final state of the graph. Always there.
    Values,
    /// The questions of a paused run, keyed by task id.
    Interrupts,
    /// The answer that the graph declared for the caller.
    Reply,
    /// The coordinate of the final checkpoint.
    Checkpoint,
}

impl Member {
    /// All members in order.
    pub const ALL: [Self; 4] = [
        Self::Values,
        Self::Interrupts,
        Self::Reply,
        Self::Checkpoint,
    ];

    /// The member's key in a `RunResult`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Interrupts => "interrupts",
            Self::Reply => "reply",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// The member's column beside the run.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Values => "result_values",
            Self::Interrupts => "result_interrupts",
            Self::Reply => "result_reply",
            Self::Checkpoint => "result_checkpoint",
        }
    }
}

/// The text of `values` where JSON leaves the value out (`undefined`, a function, a symbol, a `toJSON`
/// that returns nothing): a result must have values. Any other member is absent then.
pub const OMITTED_VALUES: &str = "null";

/// One step from a container to what is inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// A key of an object.
    Key(String),
    /// An index of an array.
    Index(u32),
}

/// The path as a person writes it: `values.messages[3].content`, quoted where a key is no plain name.
pub fn path_text(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Key(key) if is_plain_name(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathStep::Key(key) => text.push_str(&format!("[{key:?}]")),
        }
    }
    text
}

fn is_plain_name(key: &str) -> bool {
    let mut characters = key.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_' || other == '$')
}

/// Why the walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkFailure {
    /// More than [`MAX_DEPTH`] levels.
    TooDeep,
    /// The engine or the host's own code threw: a BigInt, a cycle, a getter, `toJSON`, `toDict`.
    Threw,
}

/// The typed failure of a walk that stopped at `path`; `reason` is the text of what was thrown.
pub fn walk_error(failure: WalkFailure, path: &[PathStep], reason: &str) -> Error {
    let place = path_text(path);
    let value = if place.is_empty() {
        "This value".to_owned()
    } else {
        format!("The value at {place}")
    };
    let error = match failure {
        WalkFailure::TooDeep => Error::new(
            ErrorCode::TooDeep,
            format!(
                "{value} is nested deeper than {MAX_DEPTH} levels, which a stored result cannot carry. \
                 Flatten it, or keep it out of the graph's state."
            ),
        ),
        WalkFailure::Threw => Error::new(
            ErrorCode::NotSerializable,
            format!(
                "{value} cannot be written as JSON: {reason}. \
                 Return plain JSON data, or give the object a `toJSON` that does not throw."
            ),
        ),
    };
    error.with("path", Detail::Text(place))
}

/// The failure of `recordResult` for something that is not a `RunResult`.
pub fn not_a_result(found: &str) -> Error {
    Error::new(
        ErrorCode::InvalidResult,
        format!(
            "A result is an object with a `values` member; this is {found}. Pass {{ values, interrupts?, reply?, checkpoint? }}."
        ),
    )
}

/// The failure of a read whose stored text is not JSON any more.
pub fn corrupt(member: &str, reason: &str) -> Error {
    Error::new(
        ErrorCode::CorruptResult,
        format!(
            "The stored `{member}` of this run is not JSON: {reason}. \
             Something other than this package wrote the column; restore it from a backup or erase the run."
        ),
    )
    .with("member", Detail::Text(member.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> PathStep {
        PathStep::Key(name.to_owned())
    }

    #[test]
    fn only_a_name_of_the_language_stands_without_quotes() {
        for plain in ["a", "Z9", "_", "$", "a_b", "a$b", "_1", "$1"] {
            assert_eq!(path_text(&[key(plain)]), plain);
        }
        for other in ["", "1", "1a", "a-b", "a b", "a.b", "é", "-", "a[0]"] {
            let quoted = format!("[{other:?}]");
            assert_eq!(path_text(&[key(other)]), quoted);
        }
    }

    #[test]
    fn a_path_reads_as_a_person_would_write_it() {
        let steps = [
            key("values"),
            key("messages"),
            PathStep::Index(3),
            key("content"),
        ];
        assert_eq!(path_text(&steps), "values.messages[3].content");
        assert_eq!(
            path_text(&[key("values"), key("a b"), key("")]),
            "values[\"a b\"][\"\"]"
        );
        assert_eq!(path_text(&[]), "");
    }

    #[test]
    fn a_failure_names_its_place_and_its_reason() {
        let error = walk_error(WalkFailure::Threw, &[key("values"), key("n")], "boom");
        assert_eq!(error.code(), ErrorCode::NotSerializable);
        assert!(error.message().contains("values.n") && error.message().contains("boom"));
        assert_eq!(
            error.details(),
            &[("path", Detail::Text("values.n".to_owned()))]
        );
        assert_eq!(
            walk_error(WalkFailure::TooDeep, &[], "").code(),
            ErrorCode::TooDeep
        );
    }

    #[test]
    fn every_member_has_a_column_of_its_own_name() {
        for member in Member::ALL {
            assert_eq!(member.column(), format!("result_{}", member.key()));
        }
    }
}
