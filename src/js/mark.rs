//! The mark in a run's kwargs.

use js_sys::{Object, Reflect};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::marker::{MARK_KEY, MARK_VERSION, Mark, invalid};

#[derive(Deserialize)]
struct NewMark {
    root: String,
    turn: u32,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    context: Option<String>,
}

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
    let NewMark {
        root,
        turn,
        message,
        context,
    } = serde_wasm_bindgen::from_value(mark)
        .map_err(|error| refused(&invalid(&error.to_string())))?;
    let mark = Mark {
        v: MARK_VERSION,
        root,
        turn,
        message,
        context,
    };
    plain(&mark.validated().map_err(|error| refused(&error))?)
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
    let kwargs = kwargs.dyn_ref::<Object>()?;
    let key = JsValue::from_str(MARK_KEY);
    let property = Reflect::get_own_property_descriptor(kwargs, &key).ok()?;
    if !property.is_object() {
        return None;
    }
    let stored = Reflect::get(&property, &JsValue::from_str("value")).ok()?;
    let mark: Mark = serde_wasm_bindgen::from_value(stored).ok()?;
    mark.validated().ok()
}

/// A mark as plain data.
pub(super) fn plain(mark: &Mark) -> Result<JsValue, JsValue> {
    mark.serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| refused(&invalid(&error.to_string())))
}
