//! Live values to wire text and back.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use super::fault::{driver_answer, driver_failed, fault, refused};
use super::host_call::parsed;
use crate::result::snapshot::{EntriesShape, Malformed};
use crate::result::wire::{self, MAX_DEPTH, MAX_LENGTH, MAX_SIZE, PathStep, WalkFailure};

#[wasm_bindgen(module = "/src/js/wire.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = resultTexts)]
    fn stringify_result(
        source: &JsValue,
        max_depth: u32,
        max_size: u32,
        max_length: u32,
    ) -> Result<Option<Texts>, WalkStopped>;

    #[wasm_bindgen(catch, js_name = entryTexts)]
    fn stringify_entry(
        results: &JsValue,
        index: u32,
        max_depth: u32,
        max_size: u32,
        max_length: u32,
    ) -> Result<Option<JsValue>, WalkStopped>;

    #[wasm_bindgen(catch, js_name = countEntries)]
    fn count_entries(results: &JsValue) -> Result<i32, JsValue>;

    #[wasm_bindgen(catch, js_name = stringifyValue)]
    fn stringify_value(
        value: &JsValue,
        max_depth: u32,
        max_size: u32,
    ) -> Result<Option<JsString>, WalkStopped>;

    #[wasm_bindgen(catch, js_name = parsedResult)]
    fn parse_result(texts: &JsValue) -> Result<Option<JsValue>, Unreadable>;

    #[wasm_bindgen(js_name = reasonOf)]
    fn thrown_text(thrown: &JsValue) -> String;

    /// The four texts of a result.
    #[wasm_bindgen(extends = js_sys::Object)]
    type Texts;

    #[wasm_bindgen(method, getter)]
    fn values(this: &Texts) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_values(this: &Texts, text: &str);

    type WalkStopped;

    #[wasm_bindgen(method, getter, js_name = tooDeep)]
    fn too_deep(this: &WalkStopped) -> bool;
    #[wasm_bindgen(method, getter)]
    fn path(this: &WalkStopped) -> Array;
    #[wasm_bindgen(method, getter)]
    fn run(this: &WalkStopped) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn cause(this: &WalkStopped) -> JsValue;

    type Unreadable;

    #[wasm_bindgen(method, getter)]
    fn member(this: &Unreadable) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn cause(this: &Unreadable) -> JsValue;
}

/// What was thrown, to be put into a sentence.
pub(super) fn reason_of(thrown: &JsValue) -> String {
    thrown_text(thrown).trim_end_matches('.').to_owned()
}

/// The four texts of a result, as a driver stores them.
pub(super) fn result_texts(result: &JsValue) -> Result<JsValue, JsValue> {
    let texts = stringify_result(result, MAX_DEPTH, MAX_SIZE, MAX_LENGTH).map_err(stopped)?;
    Ok(completed(texts)?.into())
}

/// Refuses what is no result, and completes one whose values JSON leaves out.
fn completed(texts: Option<Texts>) -> Result<Texts, JsValue> {
    let texts = texts.ok_or_else(|| refused(&wire::not_a_result("no object")))?;
    let values = texts.values();
    if values.is_undefined() {
        return Err(refused(&wire::not_a_result(
            "an object without that member",
        )));
    }
    if values.is_null() {
        texts.set_values(wire::OMITTED_VALUES);
    }
    Ok(texts)
}

/// Why an entry of a snapshot cannot be used.
pub(super) enum Unusable {
    /// It is none.
    Malformed(Malformed),
    /// Its result is none, or cannot be carried: the run that it is for, and the failure.
    Result(Option<String>, JsValue),
}

/// What a snapshot has as its results, and how many entries; what cannot be asked is no list.
pub(super) fn snapshot_entries(results: &JsValue) -> (EntriesShape, u32) {
    let count = count_entries(results).unwrap_or(-1);
    match u32::try_from(count) {
        Ok(0) => (EntriesShape::Empty, 0),
        Ok(count) => (EntriesShape::List, count),
        Err(_negative) => (EntriesShape::Other, 0),
    }
}

/// An entry of a snapshot as `[run id, texts]`.
pub(super) fn snapshot_entry(results: &JsValue, index: u32) -> Result<Array, Unusable> {
    let entry = stringify_entry(results, index, MAX_DEPTH, MAX_SIZE, MAX_LENGTH)
        .map_err(|walk| Unusable::Result(walk.run(), stopped(walk)))?
        .unwrap_or(JsValue::FALSE);
    let entry = match entry.as_bool() {
        Some(false) => return Err(Unusable::Malformed(Malformed::NoPair)),
        Some(true) => return Err(Unusable::Malformed(Malformed::NoRunId)),
        None => entry.unchecked_into::<Array>(),
    };
    let texts = entry.get(1);
    let texts = (!texts.is_null()).then(|| texts.unchecked_into());
    completed(texts).map_err(|thrown| Unusable::Result(entry.get(0).as_string(), thrown))?;
    Ok(entry)
}

/// The result of a driver's answer, or null where there is none.
pub(super) fn result_value(answer: &JsValue) -> Result<JsValue, JsValue> {
    if answer.is_undefined() || answer.is_null() {
        return Ok(JsValue::NULL);
    }
    if !answer.is_object() {
        return Err(not_texts());
    }
    let parsed =
        parse_result(answer).map_err(|thrown| match (thrown.member(), thrown.cause()) {
            (Some(_), cause) if cause.is_undefined() => not_texts(),
            (Some(member), cause) => fault(&wire::corrupt(&member, &reason_of(&cause)), &cause),
            // A getter of the answer threw.
            (None, cause) => driver_failed("read", &cause),
        })?;
    Ok(parsed.unwrap_or(JsValue::NULL))
}

/// The value of a stored checkpoint.
pub(super) fn checkpoint_value(text: &JsString) -> Result<JsValue, JsValue> {
    parsed(text).map_err(|thrown| {
        fault(
            &wire::corrupt(wire::Member::Checkpoint.key(), &reason_of(&thrown)),
            &thrown,
        )
    })
}

/// The JSON text of a value that came from JSON.
pub(super) fn value_text(value: &JsValue) -> Result<JsValue, JsValue> {
    let text = stringify_value(value, MAX_DEPTH, MAX_SIZE).map_err(stopped)?;
    Ok(text.map_or(JsValue::UNDEFINED, JsValue::from))
}

fn not_texts() -> JsValue {
    driver_answer(
        "read",
        "{ values, interrupts, reply, checkpoint } as texts or null, or null where there is no result",
    )
}

/// The JSON text of `value`, exactly as the host's serializer writes it; undefined for a value that
/// JSON leaves out.
///
/// # Errors
///
/// `not_serializable`, `too_deep`.
#[wasm_bindgen(js_name = wireText)]
pub fn wire_text(value: &JsValue) -> Result<JsValue, JsValue> {
    value_text(value)
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
