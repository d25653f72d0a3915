//! One error with a stable code, a sentence that says what to do, and details.
//!
//! The same codes appear in TypeScript (`ErrorCode`) and in the README. The original exception of
//! the host, where there is one, stays on the JavaScript side and travels as `cause`.

use core::fmt;

/// Why something was refused. The text form is part of the public interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A value that JSON cannot carry: a BigInt, a cycle, a throwing getter or `toJSON`, one that is larger than
    /// [`crate::result::wire::MAX_SIZE`], or a text longer than [`crate::result::wire::MAX_LENGTH`].
    NotSerializable,
    /// A value nested deeper than [`crate::result::wire::MAX_DEPTH`].
    TooDeep,
    /// Something that is not a `RunResult` was handed to `recordResult`.
    InvalidResult,
    /// A driver lacks a required primitive.
    DriverIncomplete,
    /// A driver's primitive threw or rejected.
    DriverFailed,
    /// A driver answered with something that its interface does not allow.
    DriverAnswer,
    /// A store lacks `recordResult` or `getResult`, which A2A needs.
    ResultsUnsupported,
    /// A stored text is not JSON any more.
    CorruptResult,
    /// A run's result could not be captured; the run must end in `error`.
    CaptureFailed,
    /// `markRun` was given a mark that is none.
    InvalidMark,
    /// A snapshot, or one of its result entries, is malformed; nothing was imported.
    InvalidSnapshot,
    /// The browser's storage cannot be used at all.
    StorageUnavailable,
    /// The browser's storage did not take a write: it is full, or the browser gave another reason.
    StorageFull,
    /// An answer resumes nothing; nothing was created.
    ResumeRefused,
    /// An argument is not what the function documents.
    InvalidArgument,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 15] = [
        Self::NotSerializable,
        Self::TooDeep,
        Self::InvalidResult,
        Self::DriverIncomplete,
        Self::DriverFailed,
        Self::DriverAnswer,
        Self::ResultsUnsupported,
        Self::CorruptResult,
        Self::CaptureFailed,
        Self::InvalidMark,
        Self::InvalidSnapshot,
        Self::StorageUnavailable,
        Self::StorageFull,
        Self::ResumeRefused,
        Self::InvalidArgument,
    ];

    /// The stable text of the code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotSerializable => "not_serializable",
            Self::TooDeep => "too_deep",
            Self::InvalidResult => "invalid_result",
            Self::DriverIncomplete => "driver_incomplete",
            Self::DriverFailed => "driver_failed",
            Self::DriverAnswer => "driver_answer",
            Self::ResultsUnsupported => "results_unsupported",
            Self::CorruptResult => "corrupt_result",
            Self::CaptureFailed => "capture_failed",
            Self::InvalidMark => "invalid_mark",
            Self::InvalidSnapshot => "invalid_snapshot",
            Self::StorageUnavailable => "storage_unavailable",
            Self::StorageFull => "storage_full",
            Self::ResumeRefused => "resume_refused",
            Self::InvalidArgument => "invalid_argument",
        }
    }
}

/// What is wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    details: Vec<(&'static str, Detail)>,
}

/// One detail of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A text, such as a path into the value or the name of a primitive.
    Text(String),
    /// Several names, such as the primitives that a driver lacks.
    Names(Vec<&'static str>),
}

impl Error {
    /// An error with this code and sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
        }
    }

    /// The same error with one more detail.
    #[must_use]
    pub fn with(mut self, name: &'static str, detail: Detail) -> Self {
        self.details.push((name, detail));
        self
    }

    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The sentence for a person.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The details by name, in the order they were added.
    pub fn details(&self) -> &[(&'static str, Detail)] {
        &self.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.as_str(), self.message)
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_codes_share_a_text() {
        let texts: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn an_error_is_displayed_by_its_sentence() {
        let error = Error::new(ErrorCode::InvalidMark, "Pass a mark.");
        assert!(error.to_string().contains("Pass a mark."));
    }
}
