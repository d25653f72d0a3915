//! Texts that come near to what is expected: mostly of the right shape, with one thing or another wrong,
//! and sometimes no JSON at all. Bytes at random would all be refused at the first character.

use bolero::{Driver, ValueGenerator};

/// What a member of an object is expected to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// Any text, odd ones among them.
    Text,
    /// One of a few ids, so that ids meet.
    Id,
    /// A whole number, small as a rule.
    Count,
    /// 1, in one of its spellings; now and then another version.
    Version,
    /// True or false.
    Flag,
    /// One of these texts.
    Name(&'static [&'static str]),
    /// This JSON text as a rule, and now and then one of these.
    Mostly(&'static str, &'static [&'static str]),
    /// This, or null.
    Maybe(&'static Expected),
    /// A list.
    List(&'static Expected),
    /// A pair `[id, value]`.
    Pair(&'static Expected),
    /// An object.
    Object(Members),
}

/// The members of an object.
pub(crate) type Members = &'static [(&'static str, Expected)];

/// The ids that meet.
pub(crate) const IDS: [&str; 4] = ["a", "b", "c", "d"];

const ODD: &[&str] = &[
    "",
    "\0",
    "\u{fffd}",
    "\u{1f600}",
    "__proto__",
    "toString",
    "'",
    "\"",
    "\\",
    "\n",
    "a.b",
    "a/b",
    "null",
    "1",
    "success",
    "\"; DROP TABLE runs; --",
    "\u{2028}",
    "é",
    "A",
    " a",
    "\u{202e}",
    "[0]",
    "{}",
];
const NUMBERS: &[&str] = &[
    "-1",
    "-0",
    "-0.0",
    "1.0",
    "1.5",
    "1e0",
    "1e9",
    "1e400",
    "4294967295",
    "4294967296",
    "1e-400",
    "18446744073709551616",
    "0.9999999999999999",
    "4294967295.0",
    "01",
    "NaN",
];
const JUNK: &[&str] = &[
    "true",
    "false",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "{\"a\":1}",
    "\"\"",
    "\"a\"",
    "0",
    "1.5",
    "\"\\ud800\"",
];

/// Makes texts near to a value of this kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near(pub(crate) Expected);

impl ValueGenerator for Near {
    type Output = String;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<String> {
        let mut text = String::new();
        let faults = if driver.produce::<bool>()? { 6 } else { 0 };
        value(driver, self.0, faults, &mut text)?;
        if one_in(driver, 16)? {
            damage(driver, &mut text)?;
        }
        Some(text)
    }
}

/// Makes texts, odd ones and ids among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text;

impl ValueGenerator for Text {
    type Output = String;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<String> {
        any_text(driver)
    }
}

/// Makes one of the ids that meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id;

impl ValueGenerator for Id {
    type Output = &'static str;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<Self::Output> {
        one_of(driver, &IDS)
    }
}

/// True once in so many times; never for 0.
pub(crate) fn one_in<D: Driver>(driver: &mut D, times: u8) -> Option<bool> {
    Some(times != 0 && driver.produce::<u8>()? % times == 0)
}

pub(crate) fn one_of<D: Driver, T: Copy>(driver: &mut D, all: &[T]) -> Option<T> {
    let place = usize::from(driver.produce::<u8>()?) % all.len();
    Some(all[place])
}

pub(crate) fn any_text<D: Driver>(driver: &mut D) -> Option<String> {
    Some(match driver.produce::<u8>()? % 4 {
        0 => one_of(driver, &IDS)?.to_owned(),
        1 => one_of(driver, ODD)?.to_owned(),
        2 => {
            let count = driver.produce::<u8>()? % 8;
            (0..count)
                .map(|_| driver.produce::<char>())
                .collect::<Option<String>>()?
        }
        _ => {
            let count = driver.produce::<u8>()? % 4;
            let parts: Option<Vec<_>> = (0..count).map(|_| one_of(driver, ODD)).collect();
            parts?.concat()
        }
    })
}

/// Writes a value that is as expected, save for one in `faults` of its parts.
fn value<D: Driver>(
    driver: &mut D,
    expected: Expected,
    faults: u8,
    out: &mut String,
) -> Option<()> {
    if one_in(driver, faults)? {
        let is_junk = driver.produce()?;
        out.push_str(one_of(driver, if is_junk { JUNK } else { &["null"] })?);
        return Some(());
    }
    match expected {
        Expected::Text => quote(&any_text(driver)?, out),
        Expected::Id => quote(one_of(driver, &IDS)?, out),
        Expected::Name(names) => quote(one_of(driver, names)?, out),
        Expected::Count if one_in(driver, faults)? => out.push_str(one_of(driver, NUMBERS)?),
        Expected::Count => out.push_str(one_of(driver, &["0", "1", "2", "1.0", "0.0"])?),
        Expected::Version if one_in(driver, 8)? => {
            out.push_str(one_of(driver, &["0", "2", "1.5"])?)
        }
        Expected::Version => out.push_str(one_of(driver, &["1", "1.0", "1e0"])?),
        Expected::Mostly(_, others) if one_in(driver, 8)? => out.push_str(one_of(driver, others)?),
        Expected::Mostly(text, _) => out.push_str(text),
        Expected::Maybe(_) if driver.produce()? => out.push_str("null"),
        Expected::Maybe(of) => value(driver, *of, faults, out)?,
        Expected::Flag => out.push_str(one_of(driver, &["true", "false"])?),
        Expected::List(of) => {
            out.push('[');
            for place in 0..driver.produce::<u8>()? % 5 {
                if place > 0 {
                    out.push(',');
                }
                value(driver, *of, faults, out)?;
            }
            out.push(']');
        }
        Expected::Pair(second) => {
            out.push('[');
            value(driver, Expected::Id, faults, out)?;
            out.push(',');
            value(driver, *second, faults, out)?;
            out.push(']');
        }
        Expected::Object(members) => {
            out.push('{');
            let mut more = false;
            for (name, expected) in members {
                if one_in(driver, faults)? {
                    continue;
                }
                member(driver, name, *expected, faults, &mut more, out)?;
            }
            if one_in(driver, 8)? {
                // A member that nobody asked for, or one that is there already.
                let name = if driver.produce()? {
                    any_text(driver)?
                } else {
                    members.first()?.0.to_owned()
                };
                member(driver, &name, Expected::Text, 2, &mut more, out)?;
            }
            out.push('}');
        }
    }
    Some(())
}

fn member<D: Driver>(
    driver: &mut D,
    name: &str,
    expected: Expected,
    faults: u8,
    more: &mut bool,
    out: &mut String,
) -> Option<()> {
    if core::mem::replace(more, true) {
        out.push(',');
    }
    quote(name, out);
    out.push(':');
    value(driver, expected, faults, out)
}

fn quote(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap());
}

/// Cuts the text off, leaves a character out, puts one in, or is another text altogether.
fn damage<D: Driver>(driver: &mut D, text: &mut String) -> Option<()> {
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let place = if places.is_empty() {
        0
    } else {
        places[usize::from(driver.produce::<u16>()?) % places.len()]
    };
    match driver.produce::<u8>()? % 4 {
        0 => text.truncate(place),
        1 if place < text.len() => {
            text.remove(place);
        }
        2 => text.insert(place, driver.produce()?),
        _ => *text = any_text(driver)?,
    }
    Some(())
}
