//! Places in a value: two places are never told alike, and a failure names its own (contract 3).

use bolero::{Driver, ValueGenerator};
use skein_results::error::{Detail, ErrorCode};
use skein_results::result::wire::{
    Member, PathStep, WalkFailure, corrupt, not_a_result, path_text, walk_error,
};

use crate::near::{Text, any_text};
use crate::target::fuzz;

/// A few steps, with keys that look like steps themselves.
struct Path;

impl ValueGenerator for Path {
    type Output = Vec<PathStep>;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<Self::Output> {
        let steps = driver.produce::<u8>()? % 6;
        let mut step = || {
            Some(match driver.produce::<u8>()? % 3 {
                0 => PathStep::Index(driver.produce()?),
                1 => PathStep::Key(
                    ["values", "a", "_", "$b", "A1"][usize::from(driver.produce::<u8>()? % 5)]
                        .to_owned(),
                ),
                _ => PathStep::Key(any_text(driver)?),
            })
        };
        (0..steps).map(|_| step()).collect()
    }
}

/// Reads a place as a person does; `None` for a text that is no place.
fn steps(text: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, after) = unquoted(quoted)?;
            steps.push(PathStep::Key(key));
            rest = after.strip_prefix(']')?;
        } else if let Some(bracket) = rest.strip_prefix('[') {
            let (index, after) = bracket.split_once(']')?;
            steps.push(PathStep::Index(index.parse().ok()?));
            rest = after;
        } else {
            let name = if steps.is_empty() {
                rest
            } else {
                rest.strip_prefix('.')?
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
            if !name[..end].chars().all(is_plain) || name.starts_with(|c: char| c.is_ascii_digit())
            {
                return None;
            }
            steps.push(PathStep::Key(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    Some(steps)
}

/// The text up to the quotation mark that ends it, and what comes behind.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut rest = text.chars();
    loop {
        key.push(match rest.next()? {
            '"' => return Some((key, rest.as_str())),
            '\\' => match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let (number, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                    rest = after.chars();
                    char::from_u32(u32::from_str_radix(number, 16).ok()?)?
                }
                same => same,
            },
            plain => plain,
        });
    }
}

#[test]
fn a_place_in_a_value() {
    let sights = ["the value itself", "inside"];
    fuzz(
        "a_place_in_a_value",
        (Path, Text),
        &sights,
        |(path, reason), seen| {
            seen.note(if path.is_empty() {
                "the value itself"
            } else {
                "inside"
            });
            let text = path_text(path);
            assert_eq!(steps(&text).as_ref(), Some(path), "{text}");
            assert!(!text.contains(['\n', '\0']));
            for (failure, code) in [
                (WalkFailure::TooDeep, ErrorCode::TooDeep),
                (WalkFailure::Threw, ErrorCode::NotSerializable),
            ] {
                let error = walk_error(failure, path, reason);
                assert_eq!(error.code(), code);
                assert_eq!(error.details(), &[("path", Detail::Text(text.clone()))]);
                assert!(error.message().contains(&text));
                assert!(
                    failure == WalkFailure::TooDeep || error.message().contains(reason.as_str())
                );
            }
        },
    );
}

#[test]
fn a_stored_text_that_is_no_json() {
    fuzz(
        "a_stored_text_that_is_no_json",
        (0_usize..4, Text),
        &["told"],
        |(place, reason), seen| {
            seen.note("told");
            let member = Member::ALL[*place].key();
            let error = corrupt(member, reason);
            assert_eq!(error.code(), ErrorCode::CorruptResult);
            assert_eq!(
                error.details(),
                &[("member", Detail::Text(member.to_owned()))]
            );
            assert!(error.message().contains(reason.as_str()) && error.message().contains(member));
            assert_eq!(not_a_result(reason).code(), ErrorCode::InvalidResult);
        },
    );
}
