//! The checkpoint of a copied result.

use js_sys::{JsString, Reflect};
use wasm_bindgen::prelude::*;

use super::argument::text as text_of;
use super::host_call::member;
use super::text::{checkpoint_value, value_text};
use crate::result::copy::{Coordinate, coordinate};

/// The text of a copied run's checkpoint.
///
/// # Errors
///
/// `corrupt_result` for a stored text that is not JSON; `invalid_argument` for what is no text.
#[wasm_bindgen(js_name = copiedCheckpoint)]
pub fn copied_checkpoint(
    text: &JsString,
    source: &JsValue,
    target: &JsValue,
) -> Result<JsValue, JsValue> {
    let source = text_of("sourceThread", source)?;
    let target = text_of("targetThread", target)?;
    let checkpoint = checkpoint_value(text)?;
    if !checkpoint.is_object() {
        return Ok(text.into());
    }
    let current = member(&checkpoint, "thread_id")?.and_then(|thread| thread.as_string());
    match coordinate(current.as_deref(), &source, &target) {
        Coordinate::Keep => Ok(text.into()),
        Coordinate::Move(thread) => {
            Reflect::set(
                &checkpoint,
                &JsValue::from_str("thread_id"),
                &JsValue::from_str(thread),
            )?;
            value_text(&checkpoint)
        }
    }
}
