//! What a store or a driver must offer before anything is created on it (contract 10).

use crate::error::{Detail, Error, ErrorCode};

/// Who is asked, and what it must offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// A result driver, when it is handed over.
    Driver,
    /// A run repository, when A2A admits a message.
    Admission,
}

impl Requirement {
    /// The methods that must be callable.
    pub const fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Driver => &["record", "read"],
            Self::Admission => &["recordResult", "getResult"],
        }
    }

    /// Checks what is offered; `offers` says whether a method can be called.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::DriverIncomplete`] or [`ErrorCode::ResultsUnsupported`], with every missing
    /// method by name.
    pub fn check(self, offers: impl Fn(&str) -> bool) -> Result<(), Error> {
        let missing: Vec<&'static str> = self
            .methods()
            .iter()
            .copied()
            .filter(|method| !offers(method))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(self.refusal(missing))
        }
    }

    fn refusal(self, missing: Vec<&'static str>) -> Error {
        let names = missing
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(" and ");
        let (code, message) = match self {
            Self::Driver => (
                ErrorCode::DriverIncomplete,
                format!(
                    "The result driver has no callable {names}. Implement it, or use one of the ready drivers: \
                     skein-results/memory, skein-results/sqlite, skein-results/postgres."
                ),
            ),
            Self::Admission => (
                ErrorCode::ResultsUnsupported,
                format!(
                    "This store cannot keep task results: its run repository has no callable {names}. \
                     Nothing was created. Add the methods of `resultMethods(driver)` to the repository."
                ),
            ),
        };
        Error::new(code, message).with("missing", Detail::Names(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_store_is_admitted() {
        assert_eq!(Requirement::Admission.check(|_| true), Ok(()));
        assert_eq!(
            Requirement::Driver.check(|name| name == "record" || name == "read"),
            Ok(())
        );
    }

    #[test]
    fn a_refusal_names_each_missing_method() {
        let both = Requirement::Admission.check(|_| false);
        let one = Requirement::Admission.check(|name| name == "recordResult");
        let missing = |checked: Result<(), Error>| {
            checked
                .err()
                .map(|error| (error.code(), error.details().to_vec()))
        };
        assert_eq!(
            missing(both),
            Some((
                ErrorCode::ResultsUnsupported,
                vec![("missing", Detail::Names(vec!["recordResult", "getResult"]))]
            ))
        );
        assert_eq!(
            missing(one),
            Some((
                ErrorCode::ResultsUnsupported,
                vec![("missing", Detail::Names(vec!["getResult"]))]
            ))
        );
    }
}
