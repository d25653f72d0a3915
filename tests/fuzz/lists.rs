//! Pages of a list: a token that a page gave leads back to its place, any other is refused (A2A 3.1.4).

use bolero::{Driver, ValueGenerator};
use skein_results::error::ErrorCode;
use skein_results::sql::result::{Dialect, RunTable};
use skein_results::sql::task::{Members, TaskFilter, task_count, task_lineage, task_page};
use skein_results::task::list::{Cursor, page_cursor, page_size, page_token};

use crate::json::{Json, text};
use crate::near::{Expected, Near, any_text, one_in, one_of};
use crate::target::fuzz;

/// Tokens of times that are near to a real one.
struct Token;

impl ValueGenerator for Token {
    type Output = String;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<String> {
        if one_in(driver, 16)? {
            return any_text(driver);
        }
        let faults = if driver.produce()? { 8 } else { 0 };
        let mut number = |width: usize, odd: &[u32], usual: u32| -> Option<String> {
            let number = if one_in(driver, faults)? {
                one_of(driver, odd)?
            } else {
                u32::from(driver.produce::<u16>()?) % usual
            };
            Some(format!("{number:0width$}"))
        };
        let mut year = number(4, &[0, 1, 9999, 10_000], 9999)?;
        let mut month = number(2, &[0, 2, 12, 13, 99], 13)?;
        let mut day = number(2, &[0, 28, 29, 30, 31, 32], 32)?;
        let hour = number(2, &[23, 24, 25], 24)?;
        let minute = number(2, &[59, 60, 99], 60)?;
        let second = number(2, &[59, 60, 61], 60)?;
        let fraction = number(one_of_width(&year), &[0, 1_000_000], 1000)?;
        if one_in(driver, 8)? {
            // The days that a year has or has not.
            year = one_of(driver, &["1900", "2000", "2023", "2024", "2100", "2400"])?.to_owned();
            month = one_of(driver, &["02", "02", "04", "12"])?.to_owned();
            day = one_of(driver, &["28", "29", "30", "31"])?.to_owned();
        }
        let end = if one_in(driver, faults)? {
            one_of(driver, &["", "z", "+00:00", "ZZ", "٣Z"])?
        } else {
            "Z"
        };
        let run = any_text(driver)?;
        Some(format!(
            "{year}-{month}-{day}T{hour}:{minute}:{second}.{fraction}{end}/{run}"
        ))
    }
}

/// From two to seven places.
fn one_of_width(year: &str) -> usize {
    2 + usize::from(year.as_bytes()[year.len() - 1] % 6)
}

/// A time by its parts, and the calendar by counting its days: another way than the rule's.
fn is_time(at: &str) -> bool {
    let Some(at) = at.strip_suffix('Z') else {
        return false;
    };
    let Some((date, time)) = at.split_once('T') else {
        return false;
    };
    let parts = |text: &str, by: char, widths: &[usize]| -> Option<Vec<i64>> {
        let parts: Vec<&str> = text.split(by).collect();
        let fits = parts.len() == widths.len()
            && parts.iter().zip(widths).all(|(part, width)| {
                part.len() == *width && part.chars().all(|c| c.is_ascii_digit())
            });
        fits.then(|| parts.iter().map(|part| part.parse().unwrap()).collect())
    };
    let Some((whole, fraction)) = time.split_once('.') else {
        return false;
    };
    let (Some(date), Some(time)) = (parts(date, '-', &[4, 2, 2]), parts(whole, ':', &[2, 2, 2]))
    else {
        return false;
    };
    (3..=6).contains(&fraction.len())
        && fraction.chars().all(|c| c.is_ascii_digit())
        && date[0] > 0
        && date_of(days(date[0], date[1], date[2])) == (date[0], date[1], date[2])
        && time[0] < 24
        && time[1] < 60
        && time[2] < 60
}

/// Days since a first of March, whatever month and day are given.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2).div_euclid(5)
        + day
        - 1
}

/// The date that is so many days after it.
fn date_of(days: i64) -> (i64, i64, i64) {
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400;
    if month < 10 {
        (year, month + 3, day)
    } else {
        (year + 1, month - 9, day)
    }
}

#[test]
fn a_page_token() {
    let sights = ["the beginning", "a place", "refused"];
    fuzz("a_page_token", Token, &sights, |token, seen| {
        let parts = token.split_once('/');
        let is_one =
            parts.is_some_and(|(at, run)| is_time(at) && !run.is_empty() && !run.contains('\0'));
        match page_cursor(token) {
            Ok(None) => {
                seen.note("the beginning");
                assert!(token.is_empty());
            }
            Ok(Some(cursor)) => {
                seen.note("a place");
                assert!(is_one, "{token:?}");
                assert_eq!(&page_token(&cursor), token);
                let Cursor { at, run } = cursor;
                assert_eq!(Some((at.as_str(), run.as_str())), parts);
            }
            Err(error) => {
                seen.note("refused");
                assert!(!is_one && !token.is_empty(), "{token:?}");
                assert_eq!(error.code(), ErrorCode::InvalidArgument);
            }
        }
    });
}

/// Numbers of all bits, and those that a caller may mean.
struct Size;

impl ValueGenerator for Size {
    type Output = f64;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<f64> {
        Some(match driver.produce::<u8>()? % 4 {
            0 => f64::from_bits(driver.produce()?),
            1 => f64::from(driver.produce::<i8>()?) / 2.0,
            _ => f64::from(driver.produce::<i16>()? % 128),
        })
    }
}

#[test]
fn a_page_size() {
    fuzz(
        "a_page_size",
        Size,
        &["a size", "refused"],
        |wanted, seen| {
            let is_size = *wanted >= 1.0 && *wanted <= 100.0 && wanted.trunc() == *wanted;
            match page_size(Some(*wanted)) {
                Ok(size) => {
                    seen.note("a size");
                    assert!(is_size && format!("{size}") == format!("{wanted}"));
                }
                Err(error) => {
                    seen.note("refused");
                    assert!(!is_size);
                    assert_eq!(error.code(), ErrorCode::InvalidArgument);
                }
            }
        },
    );
}

const FILTER: Expected = Expected::Object(&[
    (
        "given",
        Expected::List(&Expected::Name(&[
            "task", "thread", "metadata", "since", "after", "limit", "'",
        ])),
    ),
    (
        "state",
        Expected::Maybe(&Expected::Name(&[
            "submitted",
            "working",
            "input-required",
            "completed",
            "failed",
            "canceled",
            "' OR 1",
        ])),
    ),
    ("answers", Expected::Flag),
]);

#[test]
fn a_filter() {
    fuzz(
        "a_filter",
        Near(FILTER),
        &["no JSON", "a filter", "refused"],
        |given, seen| {
            let Some(json) = Json::parse(given) else {
                return seen.note("no JSON");
            };
            let Ok(filter) = TaskFilter::of_given(&json.fields()) else {
                return seen.note("refused");
            };
            seen.note("a filter");
            let names: Vec<&str> = json.0["given"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap())
                .collect();
            let state = text(&json.0, "state");
            assert_eq!(filter.state.map(|state| state.as_str()), state);
            assert_eq!(
                filter.members == Members::Answers,
                json.0["answers"] == true
            );
            let wanted = |name: &str, parameters: &[&'static str]| {
                if names.contains(&name) {
                    parameters.to_vec()
                } else {
                    Vec::new()
                }
            };
            let table = RunTable::default();
            for dialect in [Dialect::Sqlite, Dialect::Postgres] {
                let counted = [
                    wanted("task", &["task"]),
                    wanted("thread", &["thread"]),
                    wanted("metadata", &["metadata"]),
                    wanted("since", &["since"]),
                ]
                .concat();
                assert_eq!(task_count(dialect, &table, filter).parameters, counted);
                let page = task_page(dialect, &table, filter).parameters;
                let after = wanted("after", &["afterAt", "afterRun"]);
                let limit = if filter.task {
                    Vec::new()
                } else {
                    vec!["limit"]
                };
                assert_eq!(page, [counted, after, limit].concat());
                let lineage = task_lineage(dialect, &table, filter).parameters;
                assert_eq!(lineage.contains(&"metadata"), names.contains(&"metadata"));
                assert!(lineage.contains(&"task"));
            }
        },
    );
}
