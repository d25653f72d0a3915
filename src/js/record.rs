//! `recordResult` and `getResult` over a driver, and the one write of result and status.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use super::driver::{Driver, ended_answer};
use super::fault::driver_failed;
use super::host_call::Callback;
use super::shell::{Work, answered, perform};
use super::text::{result_texts, result_value};

/// Writes a run's result, the first one winning. Its text is taken before this returns.
///
/// # Errors
///
/// `invalid_result`, `not_serializable`, `too_deep` at once; `driver_failed` at once or by a
/// step.
#[wasm_bindgen(js_name = recordResult)]
pub fn record_result(driver: Driver, run: JsString, result: &JsValue) -> Work {
    let texts = result_texts(result)?;
    perform(async move {
        of_driver("record", answered(driver.record(&run, &texts)).await)?;
        Ok(JsValue::UNDEFINED)
    })
}

/// Reads a run's result: `RunResult`, or null.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, `corrupt_result`, at once or by a step.
#[wasm_bindgen(js_name = getResult)]
pub fn get_result(driver: Driver, run: JsString) -> Work {
    perform(async move {
        let answer = of_driver("read", answered(driver.read(&run)).await)?;
        result_value(&answer)
    })
}

/// Writes a terminal status, and the result where there is one, if the run is in flight:
/// `{ status, won }`, or null where there is no such run.
///
/// # Errors
///
/// As for [`record_result`], and `driver_answer`.
#[wasm_bindgen(js_name = settleRun)]
pub fn settle_run(driver: Driver, run: JsString, result: &JsValue) -> Work {
    let texts = if result.is_undefined() {
        JsValue::NULL
    } else {
        result_texts(result)?
    };
    perform(async move { ended("settle", answered(driver.settle(&run, &texts)).await) })
}

/// Cancels a run that is in flight: `{ status, won }`, or null where there is no such run.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, at once or by a step.
#[wasm_bindgen(js_name = cancelRun)]
pub fn cancel_run(driver: Driver, run: JsString) -> Work {
    perform(async move { ended("cancel", answered(driver.cancel(&run)).await) })
}

/// Starts a run that is in flight: `{ status, won }`, or null where there is no such run.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, at once or by a step.
#[wasm_bindgen(js_name = startRun)]
pub fn start_run(driver: Driver, run: JsString) -> Work {
    perform(async move { ended("start", answered(driver.start(&run)).await) })
}

/// Cancels a paused run that is the last of its lineage: `{ status, won }`, or null where there is no
/// such run.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, at once or by a step.
#[wasm_bindgen(js_name = cancelPausedRun)]
pub fn cancel_paused_run(driver: Driver, run: JsString) -> Work {
    perform(async move { ended("cancelPaused", answered(driver.cancel_paused(&run)).await) })
}

/// Calls any other primitive of a driver: `call` makes the host call.
///
/// # Errors
///
/// `driver_failed`, at once or by a step.
#[wasm_bindgen(js_name = callPrimitive)]
pub fn call_primitive(primitive: String, call: Callback) -> Work {
    perform(async move { of_driver(&primitive, answered(call.call()).await) })
}

/// The result of four texts.
///
/// # Errors
///
/// `driver_answer`, `corrupt_result`.
#[wasm_bindgen(js_name = resultOf)]
pub fn result_of(texts: &JsValue) -> Result<JsValue, JsValue> {
    result_value(texts)
}

/// What a primitive answered, or what it threw as `driver_failed`.
fn of_driver(primitive: &str, answer: Result<JsValue, JsValue>) -> Result<JsValue, JsValue> {
    answer.map_err(|thrown| driver_failed(primitive, &thrown))
}

/// What a conditional write of a status answered.
fn ended(primitive: &'static str, answer: Result<JsValue, JsValue>) -> Result<JsValue, JsValue> {
    ended_answer(primitive, of_driver(primitive, answer)?)
}
