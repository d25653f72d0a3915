//! The mark in a run's kwargs.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::fault::refused;
use super::host_call::own_value;
use crate::fields::Fields;
use crate::task::mark::{MARK_KEY, Mark, invalid};

/// The reserved key of a run's kwargs.
#[wasm_bindgen(js_name = markKey)]
pub fn mark_key() -> String {
    MARK_KEY.to_owned()
}

/// The stored form of a mark `{ root, turn, message, context? }`.
///
/// # Errors
///
/// `invalid_mark`.
#[wasm_bindgen(js_name = newMark)]
pub fn new_mark(mark: JsValue) -> Result<JsValue, JsValue> {
    plain(&Mark::of_given(&Fields(&mark)).map_err(|error| refused(&error))?)
}

/// The mark of a run's kwargs, or null: only an own data property counts, and only of a shape that
/// this version understands.
#[wasm_bindgen(js_name = readMark)]
pub fn read_mark(kwargs: &JsValue) -> Result<JsValue, JsValue> {
    match own_mark(kwargs) {
        Some(mark) => plain(&mark),
        None => Ok(JsValue::NULL),
    }
}

/// The valid mark of kwargs: an own data property, of a shape that this version understands.
pub(super) fn own_mark(kwargs: &JsValue) -> Option<Mark> {
    let stored = own_value(kwargs, MARK_KEY).ok()??;
    Mark::of_stored(&Fields(&stored))
}

/// A mark as plain data.
pub(super) fn plain(mark: &Mark) -> Result<JsValue, JsValue> {
    mark.serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| refused(&invalid(&error.to_string())))
}
