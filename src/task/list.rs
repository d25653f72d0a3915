//! Pages of a list of tasks: how many, from where, and in which order (A2A 3.1.4).
//!
//! The newest status comes first, and runs of the same instant follow their ids downwards. A page goes
//! on *behind* the last run that was shown, so that a task that does not change is neither skipped nor
//! repeated; one that changes moves to the front of the next listing.

use crate::error::{Error, ErrorCode};

/// How many tasks a page has where the caller does not say.
pub const DEFAULT_PAGE_SIZE: u32 = 50;

/// How many tasks a page has at most.
pub const MAX_PAGE_SIZE: u32 = 100;

/// The place of a run in the list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// When the run took its status, as the store writes it; it sorts like the time.
    pub at: String,
    /// The run.
    pub run: String,
}

/// The size of a page: from 1 to [`MAX_PAGE_SIZE`].
///
/// # Errors
///
/// [`ErrorCode::InvalidArgument`].
pub fn page_size(wanted: Option<f64>) -> Result<u32, Error> {
    let Some(wanted) = wanted else {
        return Ok(DEFAULT_PAGE_SIZE);
    };
    (1..=MAX_PAGE_SIZE)
        .find(|size| f64::from(*size) == wanted)
        .ok_or_else(|| invalid(&format!("A page has 1 to {MAX_PAGE_SIZE} tasks.")))
}

/// The token that leads behind this place.
pub fn page_token(cursor: &Cursor) -> String {
    format!("{}/{}", cursor.at, cursor.run)
}

/// The place that a token leads behind; `None` for the empty one, which begins the list.
///
/// # Errors
///
/// [`ErrorCode::InvalidArgument`]: a token that no page gave.
pub fn page_cursor(token: &str) -> Result<Option<Cursor>, Error> {
    if token.is_empty() {
        return Ok(None);
    }
    let read = || {
        let (at, run) = token.split_once('/')?;
        let known = is_time(at) && !run.is_empty() && !run.contains('\0');
        known.then(|| Cursor {
            at: at.to_owned(),
            run: run.to_owned(),
        })
    };
    read()
        .map(Some)
        .ok_or_else(|| invalid("The page token is none that a page of this list has given."))
}

/// A time as a store writes it: ISO 8601 in UTC, `2026-01-31T23:59:59.123456Z`.
fn is_time(text: &str) -> bool {
    const SHAPE: &str = "0000-00-00T00:00:00.000";
    let Some(body) = text.strip_suffix('Z') else {
        return false;
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (Some(start), Some(rest)) = (body.get(..SHAPE.len()), body.get(SHAPE.len()..)) else {
        return false;
    };
    let shaped = start
        .bytes()
        .zip(SHAPE.bytes())
        .all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        });
    shaped && rest.len() <= 3 && digits(rest) && is_in_range(start)
}

/// No database takes a thirteenth month, and it must not be the one to say so.
fn is_in_range(start: &str) -> bool {
    let number = |from: usize, to: usize| -> Option<u32> { start.get(from..to)?.parse().ok() };
    let within = |place: Option<u32>, low: u32, high: u32| {
        place.is_some_and(|number| (low..=high).contains(&number))
    };
    let (Some(year), Some(month)) = (number(0, 4), number(5, 7)) else {
        return false;
    };
    (1..=9999).contains(&year)
        && within(number(8, 10), 1, days_in(year, month))
        && within(number(11, 13), 0, 23)
        && within(number(14, 16), 0, 59)
        && within(number(17, 19), 0, 59)
}

/// 0 for what is no month.
const fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

fn invalid(sentence: &str) -> Error {
    Error::new(ErrorCode::InvalidArgument, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_to_a_hundred_tasks_and_fifty_by_default() {
        assert_eq!(page_size(None), Ok(50));
        for size in [1.0, 2.0, 100.0] {
            assert_eq!(page_size(Some(size)).map(f64::from), Ok(size));
        }
        for size in [0.0, -1.0, 101.0, 1.5, f64::NAN, f64::INFINITY] {
            assert!(page_size(Some(size)).is_err(), "{size}");
        }
    }

    #[test]
    fn a_token_leads_behind_its_place() {
        for run in ["r", "a/b\n", "\u{1f600}"] {
            let cursor = Cursor {
                at: "2026-01-31T23:59:59.123456Z".to_owned(),
                run: run.to_owned(),
            };
            assert_eq!(page_cursor(&page_token(&cursor)), Ok(Some(cursor)));
        }
        assert_eq!(page_cursor(""), Ok(None));
    }

    #[test]
    fn a_token_that_no_page_gave_is_refused() {
        for token in [
            "junk",
            "/",
            "2026-01-31T23:59:59.123Z",
            "2026-01-31T23:59:59.123Z/",
            "2026-13-31T23:59:59.123Z/r",
            "2026-02-29T23:59:59.123Z/r",
            "2026-00-01T23:59:59.123Z/r",
            "0000-01-01T23:59:59.123Z/r",
            "2026-01-31T24:59:59.123Z/r",
            "yesterday/r",
            "2026-01-31T23:59:59.123Z/a\0b",
            "2026-01-31T23:59:59.123'Z/r",
        ] {
            assert!(page_cursor(token).is_err(), "{token}");
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    proptest::proptest! {
        #[test]
        fn no_token_is_too_odd(token in ".*") {
            let _ = page_cursor(&token);
        }
    }
}
