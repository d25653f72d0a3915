//! What a store offers: exactly the names that are needed, and each that is missing is told (contract 10).

use skein_results::error::{Detail, ErrorCode};
use skein_results::task::admission::Requirement;

use crate::json::Json;
use crate::near::{Expected, Near};
use crate::target::fuzz;

const OFFERED: Expected = Expected::List(&Expected::Name(&[
    "record",
    "read",
    "recordResult",
    "getResult",
    "recordresult",
    "getResult ",
    "",
]));

#[test]
fn the_methods_of_a_store() {
    let sights = ["admitted", "refused"];
    fuzz(
        "the_methods_of_a_store",
        Near(OFFERED),
        &sights,
        |given, seen| {
            let Some(Json(given)) = Json::parse(given) else {
                return;
            };
            let offered: Vec<&str> = given
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str())
                .collect();
            for (requirement, needed, code) in [
                (
                    Requirement::Driver,
                    ["record", "read"],
                    ErrorCode::DriverIncomplete,
                ),
                (
                    Requirement::Admission,
                    ["recordResult", "getResult"],
                    ErrorCode::ResultsUnsupported,
                ),
            ] {
                let missing: Vec<&'static str> = needed
                    .into_iter()
                    .filter(|name| !offered.contains(name))
                    .collect();
                match requirement.check(|method| offered.contains(&method)) {
                    Ok(()) => {
                        seen.note("admitted");
                        assert!(missing.is_empty());
                    }
                    Err(error) => {
                        seen.note("refused");
                        assert_eq!(error.code(), code);
                        assert_eq!(error.details(), &[("missing", Detail::Names(missing))]);
                    }
                }
            }
        },
    );
}
