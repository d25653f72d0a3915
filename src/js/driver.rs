//! The host's driver, as the facade bound it: own functions, read once, `this` kept.

use js_sys::{JsString, Object};
use wasm_bindgen::prelude::*;

use super::fault::driver_answer;
use crate::run::RunStatus;

#[wasm_bindgen]
extern "C" {
    /// See `ResultDriver` in the package's TypeScript.
    #[derive(Clone)]
    pub type Driver;

    #[wasm_bindgen(method, catch)]
    pub(super) fn record(
        this: &Driver,
        run: &JsString,
        texts: &JsValue,
    ) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn read(this: &Driver, run: &JsString) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn settle(
        this: &Driver,
        run: &JsString,
        texts: &JsValue,
    ) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn cancel(this: &Driver, run: &JsString) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) fn start(this: &Driver, run: &JsString) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(method, catch, js_name = cancelPaused)]
    pub(super) fn cancel_paused(this: &Driver, run: &JsString) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(extends = Object)]
    type StatusOutcome;

    #[wasm_bindgen(method, getter, catch)]
    fn status(this: &StatusOutcome) -> Result<Option<JsValue>, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn won(this: &StatusOutcome) -> Result<Option<JsValue>, JsValue>;
}

/// Checks the answer of a conditional write: `{ status, won }`, or null where there is no such run.
pub(super) fn ended_answer(primitive: &'static str, answer: JsValue) -> Result<JsValue, JsValue> {
    if answer.is_undefined() || answer.is_null() {
        return Ok(JsValue::NULL);
    }
    let ended = answer.unchecked_ref::<StatusOutcome>();
    let status = answer
        .is_object()
        .then(|| ended.status().ok())
        .flatten()
        .flatten();
    let won = answer
        .is_object()
        .then(|| ended.won().ok())
        .flatten()
        .flatten();
    match (
        status.and_then(|status| run_status(&status)),
        won.and_then(|won| won.as_bool()),
    ) {
        (Some(_), Some(_)) => Ok(answer),
        _ => Err(driver_answer(
            primitive,
            "{ status, won }, or null where there is no such run",
        )),
    }
}

/// The status of an answer that [`ended_answer`] let through; `None` for a run that is gone.
pub(super) fn ended_status(answer: &JsValue) -> Option<RunStatus> {
    if !answer.is_object() {
        return None;
    }
    run_status(&answer.unchecked_ref::<StatusOutcome>().status().ok()??)
}

/// The status that a JavaScript value names.
pub(super) fn run_status(value: &JsValue) -> Option<RunStatus> {
    RunStatus::parse(&value.as_string()?)
}
