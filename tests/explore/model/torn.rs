//! Stores that are not atomic: one primitive is a read and then a write. The explorer must find what
//! each of them breaks, or it does not see.

use skein_results::invariants::Invariant;

/// The primitive that two steps make, with anything between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Torn {
    /// The status is read, and `running` is written.
    Start,
    /// The absence of a result is read, and the result is written.
    Record,
    /// The status is read, and the end is written, with the result.
    Settle,
    /// The status is written, and then the result.
    SettleHalves,
    /// The status is read, and `cancelled` is written.
    Cancel,
    /// The pause is read, and the run that resumes it is created.
    AdmitResume,
    /// The runs are copied, and then their results.
    Copy,
    /// The absence of results is read, and the entries are written.
    Import,
}

impl Torn {
    pub const ALL: [Self; 8] = [
        Self::Start,
        Self::Record,
        Self::Settle,
        Self::SettleHalves,
        Self::Cancel,
        Self::AdmitResume,
        Self::Copy,
        Self::Import,
    ];

    /// A promise that is broken by it.
    pub const fn breaks(self) -> Invariant {
        match self {
            Self::Start | Self::Settle | Self::Cancel => Invariant::OneEnd,
            Self::Record | Self::Import => Invariant::ResultStays,
            Self::SettleHalves | Self::Copy => Invariant::SuccessHasResult,
            Self::AdmitResume => Invariant::OneContinuation,
        }
    }
}
