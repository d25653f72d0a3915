//! The result entries of a snapshot.

use js_sys::{Array, Number, Set};
use wasm_bindgen::prelude::*;

use super::fault::{fault, refused};
use super::host_call::Callback;
use super::text::{Unusable, reason_of, snapshot_entries, snapshot_entry};
use crate::result::snapshot::{
    EntriesShape, Occurrence, Placement, Run, entries, malformed_entry, place, supported_version,
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
    knows: Option<Callback>,
) -> Result<Array, JsValue> {
    supported_version(version_text(version).as_deref()).map_err(|error| refused(&error))?;
    let attached = Array::new();
    let (member, count) = snapshot_entries(results);
    if entries(member).map_err(|error| refused(&error))? == EntriesShape::Empty {
        return Ok(attached);
    }
    let seen = Set::new(&JsValue::UNDEFINED);
    for index in 0..count {
        let entry = checked_entry(results, index)?;
        let id = entry.get(0);
        let run = match &knows {
            Some(knows) if !is_known(knows, &id)? => Run::Unknown,
            _ => Run::Known,
        };
        let before = if seen.has(&id) {
            Occurrence::Again
        } else {
            Occurrence::First
        };
        if place(run, before) == Placement::Attach {
            seen.add(&id);
            attached.push(&entry);
        }
    }
    Ok(attached)
}

fn is_known(knows: &Callback, run: &JsValue) -> Result<bool, JsValue> {
    Ok(knows
        .call_with(run)?
        .is_some_and(|answer| answer.is_truthy()))
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

/// An entry as `[run id, texts]`.
fn checked_entry(results: &JsValue, index: u32) -> Result<Array, JsValue> {
    snapshot_entry(results, index).map_err(|unusable| match unusable {
        Unusable::Malformed(malformed) => refused(&malformed_entry(index, None, malformed.why())),
        Unusable::Result(run, thrown) => fault(
            &malformed_entry(index, run.as_deref(), &format!("{}.", reason_of(&thrown))),
            &thrown,
        ),
    })
}
