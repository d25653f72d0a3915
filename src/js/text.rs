//! Live values to wire text and back.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use super::fault::{fault, refused};
use crate::wire::{self, MAX_DEPTH, Member, Omitted, PathStep, WalkFailure};

#[wasm_bindgen(module = "/src/js/wire.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = stringifyMember)]
    fn stringify_member(
        source: &JsValue,
        key: &str,
        max_depth: u32,
    ) -> Result<JsValue, WalkStopped>;

    #[wasm_bindgen(catch, js_name = stringifyValue)]
    fn stringify_value(value: &JsValue, max_depth: u32) -> Result<JsValue, WalkStopped>;

    #[wasm_bindgen(catch, js_name = parseText)]
    fn parse_text(text: &JsString) -> Result<JsValue, JsValue>;

    /// What was thrown, as a sentence.
    #[wasm_bindgen(js_name = reasonOf)]
    pub(super) fn reason_of(thrown: &JsValue) -> String;

    type WalkStopped;

    #[wasm_bindgen(method, getter, js_name = tooDeep)]
    fn too_deep(this: &WalkStopped) -> bool;

    #[wasm_bindgen(method, getter)]
    fn path(this: &WalkStopped) -> Array;

    #[wasm_bindgen(method, getter)]
    fn cause(this: &WalkStopped) -> JsValue;
}

/// The text of one member of a result; `None` where it is absent.
pub(super) fn member_text(result: &JsValue, member: Member) -> Result<Option<JsString>, JsValue> {
    let text = stringify_member(result, member.key(), MAX_DEPTH).map_err(stopped)?;
    if text.is_null() {
        return match member {
            Member::Values => Err(refused(&wire::not_a_result(
                "an object without that member",
            ))),
            Member::Interrupts | Member::Reply | Member::Checkpoint => Ok(None),
        };
    }
    Ok(match (text.dyn_into::<JsString>(), member.when_omitted()) {
        (Ok(text), _) => Some(text),
        (Err(_), Omitted::Null) => Some(JsString::from("null")),
        (Err(_), Omitted::Absent) => None,
    })
}

/// The value of one stored member.
pub(super) fn member_value(member: Member, text: &JsString) -> Result<JsValue, JsValue> {
    parse_text(text)
        .map_err(|thrown| fault(&wire::corrupt(member.key(), &reason_of(&thrown)), &thrown))
}

/// The JSON text of `value`, exactly as the host's serializer writes it; undefined for a value that
/// JSON leaves out.
///
/// # Errors
///
/// `not_serializable`, `too_deep`.
#[wasm_bindgen(js_name = wireText)]
pub fn wire_text(value: &JsValue) -> Result<JsValue, JsValue> {
    stringify_value(value, MAX_DEPTH).map_err(stopped)
}

fn stopped(walk: WalkStopped) -> JsValue {
    let failure = if walk.too_deep() {
        WalkFailure::TooDeep
    } else {
        WalkFailure::Threw
    };
    let path: Vec<PathStep> = walk.path().iter().map(|step| path_step(&step)).collect();
    let cause = walk.cause();
    let reason = match failure {
        WalkFailure::TooDeep => String::new(),
        WalkFailure::Threw => reason_of(&cause),
    };
    let error = wire::walk_error(failure, &path, &reason);
    match failure {
        WalkFailure::TooDeep => refused(&error),
        WalkFailure::Threw => fault(&error, &cause),
    }
}

fn path_step(step: &JsValue) -> PathStep {
    match step.as_f64() {
        // An array index is an integer below 2^32.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Some(index) => PathStep::Index(index as u32),
        None => PathStep::Key(step.as_string().unwrap_or_default()),
    }
}
