//! The result entries of a snapshot.

use js_sys::{Array, Function, Object};
use wasm_bindgen::prelude::*;

use super::fault::{fault, refused};
use super::text::{reason_of, result_texts};
use crate::snapshot::{Member, Merge, Placement, Run, entries, malformed_entry, supported_version};

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
    let mut merge = Merge::default();
    for (index, pair) in (0..).zip(results.unchecked_ref::<Array>().iter()) {
        let (id, texts) = entry(index, &pair)?;
        let run = match &knows {
            Some(knows) if !knows.call1(&JsValue::UNDEFINED, &id)?.is_truthy() => Run::Unknown,
            _ => Run::Known,
        };
        if merge.place(id.as_string().unwrap_or_default(), run) == Placement::Attach {
            attached.push(&Array::of2(&id, &texts));
        }
    }
    Ok(attached)
}

/// A version as it reads: a number and its text are the same.
fn version_text(version: &JsValue) -> Option<String> {
    if version.is_undefined() || version.is_null() {
        return None;
    }
    let number = version.as_f64().map(|number| number.to_string());
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

fn entry(index: u32, pair: &JsValue) -> Result<(JsValue, JsValue), JsValue> {
    let malformed = |run: Option<&str>, why| refused(&malformed_entry(index, run, why));
    if !Array::is_array(pair) || pair.unchecked_ref::<Array>().length() < 2 {
        return Err(malformed(None, "it is no pair of a run id and a result."));
    }
    let pair = pair.unchecked_ref::<Array>();
    let (id, result) = (pair.get(0), pair.get(1));
    if !id.is_string() {
        return Err(malformed(None, "its run id is no text."));
    }
    let texts = result_texts(&result).map_err(|thrown| {
        let run = id.as_string();
        fault(
            &malformed_entry(index, run.as_deref(), &reason_of(&thrown)),
            &thrown,
        )
    })?;
    Ok((id, texts))
}
