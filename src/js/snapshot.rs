//! The result entries of a snapshot.

use js_sys::{Array, Function, Number, Object, Set};
use wasm_bindgen::prelude::*;

use super::fault::{fault, refused};
use super::text::{Unusable, reason_of, snapshot_entry};
use crate::snapshot::{
    Member, Placement, Run, Seen, entries, malformed_entry, place, supported_version,
};

/// The entries to attach, as `[run id, texts]`, of a snapshot's `version` and `results`. `knows` says
/// whether a run exists or is imported; without it every run counts as known, and the store's own
/// condition leaves the orphans.
///
/// # Errors
///
/// `invalid_snapshot`, naming the entry, with the failure to serialize it as its cause.
#[wasm_bindgen(js_name = mergeResults)]
pub fn merge_results(
    version: &JsValue,
    results: &JsValue,
    knows: Option<Function>,
) -> Result<Array, JsValue> {
    supported_version(version_text(version).as_deref()).map_err(|error| refused(&error))?;
    let attached = Array::new();
    if entries(member(results)).map_err(|error| refused(&error))? == Member::Empty {
        return Ok(attached);
    }
    let seen = Set::new(&JsValue::UNDEFINED);
    for (index, given) in (0..).zip(results.unchecked_ref::<Array>().iter()) {
        let entry = checked_entry(index, &given)?;
        let id = entry.get(0);
        let run = match &knows {
            Some(knows) if !knows.call1(&JsValue::UNDEFINED, &id)?.is_truthy() => Run::Unknown,
            _ => Run::Known,
        };
        let before = if seen.has(&id) {
            Seen::Again
        } else {
            Seen::First
        };
        if place(run, before) == Placement::Attach {
            seen.add(&id);
            attached.push(&entry);
        }
    }
    Ok(attached)
}

/// A version as it reads: a number and its text are the same.
fn version_text(version: &JsValue) -> Option<String> {
    if version.is_undefined() || version.is_null() {
        return None;
    }
    // The engine prints a number; Rust's own printing of a double is a tenth of the whole module.
    let number = version.dyn_ref::<Number>().map(|number| {
        number
            .to_string_with_radix(10)
            .map_or_else(|_| String::new(), String::from)
    });
    Some(
        version
            .as_string()
            .or(number)
            .unwrap_or_else(|| "of another kind".to_owned()),
    )
}

fn member(results: &JsValue) -> Member {
    if results.is_undefined() || results.is_null() {
        return Member::Empty;
    }
    if Array::is_array(results) {
        return Member::List;
    }
    let is_empty = results
        .dyn_ref::<Object>()
        .is_some_and(|object| Object::keys(object).length() == 0);
    if is_empty {
        Member::Empty
    } else {
        Member::Other
    }
}

/// An entry as `[run id, texts]`.
fn checked_entry(index: u32, given: &JsValue) -> Result<Array, JsValue> {
    let malformed = |run: Option<&str>, thrown: &JsValue| {
        fault(
            &malformed_entry(index, run, &format!("{}.", reason_of(thrown))),
            thrown,
        )
    };
    match snapshot_entry(given) {
        Ok(entry) => Ok(entry),
        Err(Unusable::Malformed(malformed)) => {
            Err(refused(&malformed_entry(index, None, malformed.why())))
        }
        Err(Unusable::Result(thrown)) => {
            let run = Array::from(given).get(0).as_string();
            Err(malformed(run.as_deref(), &thrown))
        }
    }
}
