//! `recordResult` and `getResult` over a driver, and the one write of result and status.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use super::driver::{Driver, Texts, ended_answer};
use super::fault::{driver_answer, driver_failed, refused};
use super::shell::{answered, now_or_promise};
use super::text::{member_text, member_value};
use crate::wire::{Member, not_a_result};

#[wasm_bindgen(module = "/src/js/wire.js")]
extern "C" {
    #[wasm_bindgen(js_name = resultTexts)]
    fn result_texts(
        values: &JsValue,
        interrupts: &JsValue,
        reply: &JsValue,
        checkpoint: &JsValue,
    ) -> JsValue;

    #[wasm_bindgen(js_name = runResult)]
    fn run_result(
        values: &JsValue,
        interrupts: &JsValue,
        reply: &JsValue,
        checkpoint: &JsValue,
    ) -> JsValue;
}

/// Writes a run's result, the first one winning. Its text is taken before this returns.
///
/// # Errors
///
/// `invalid_result`, `not_serializable`, `too_deep` at once; `driver_failed` at once or by the
/// promise.
#[wasm_bindgen(js_name = recordResult)]
pub fn record_result(driver: Driver, run: JsString, result: &JsValue) -> Result<JsValue, JsValue> {
    let texts = texts_of(result)?;
    now_or_promise(async move {
        answered(driver.record(&run, &texts))
            .await
            .map_err(|thrown| driver_failed("record", &thrown))?;
        Ok(JsValue::UNDEFINED)
    })
}

/// Reads a run's result: `RunResult`, or null.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, `corrupt_result`, at once or by the promise.
#[wasm_bindgen(js_name = getResult)]
pub fn get_result(driver: Driver, run: JsString) -> Result<JsValue, JsValue> {
    now_or_promise(async move {
        let answer = answered(driver.read(&run))
            .await
            .map_err(|thrown| driver_failed("read", &thrown))?;
        result_of(&answer)
    })
}

/// Writes a terminal status, and the result where there is one, if the run is in flight:
/// `{ status, won }`, or null where there is no such run.
///
/// # Errors
///
/// As for [`record_result`], and `driver_answer`.
#[wasm_bindgen(js_name = settleRun)]
pub fn settle_run(driver: Driver, run: JsString, result: &JsValue) -> Result<JsValue, JsValue> {
    let texts = if result.is_undefined() {
        JsValue::NULL
    } else {
        texts_of(result)?
    };
    now_or_promise(async move {
        let answer = answered(driver.settle(&run, &texts)).await;
        ended_answer(
            "settle",
            answer.map_err(|thrown| driver_failed("settle", &thrown))?,
        )
    })
}

/// Cancels a run that is in flight: `{ status, won }`, or null where there is no such run.
///
/// # Errors
///
/// `driver_failed`, `driver_answer`, at once or by the promise.
#[wasm_bindgen(js_name = cancelRun)]
pub fn cancel_run(driver: Driver, run: JsString) -> Result<JsValue, JsValue> {
    now_or_promise(async move {
        let answer = answered(driver.cancel(&run)).await;
        ended_answer(
            "cancel",
            answer.map_err(|thrown| driver_failed("cancel", &thrown))?,
        )
    })
}

fn texts_of(result: &JsValue) -> Result<JsValue, JsValue> {
    if !result.is_object() || js_sys::Array::is_array(result) {
        return Err(refused(&not_a_result(
            result
                .js_typeof()
                .as_string()
                .as_deref()
                .unwrap_or("no object"),
        )));
    }
    let [values, interrupts, reply, checkpoint] =
        Member::ALL.map(|member| member_text(result, member));
    let or_null = |text: Option<JsString>| text.map_or(JsValue::NULL, JsValue::from);
    Ok(result_texts(
        &or_null(values?),
        &or_null(interrupts?),
        &or_null(reply?),
        &or_null(checkpoint?),
    ))
}

fn result_of(answer: &JsValue) -> Result<JsValue, JsValue> {
    if answer.is_undefined() || answer.is_null() {
        return Ok(JsValue::NULL);
    }
    let texts = answer.unchecked_ref::<Texts>();
    if !answer.is_object() {
        return Err(not_texts());
    }
    let Some(values) = stored(Member::Values, texts.values())? else {
        return Ok(JsValue::NULL);
    };
    let absent = |value: Option<JsValue>| value.unwrap_or(JsValue::UNDEFINED);
    Ok(run_result(
        &values,
        &absent(stored(Member::Interrupts, texts.interrupts())?),
        &absent(stored(Member::Reply, texts.reply())?),
        &absent(stored(Member::Checkpoint, texts.checkpoint())?),
    ))
}

fn stored(member: Member, text: Result<JsValue, JsValue>) -> Result<Option<JsValue>, JsValue> {
    let text = text.map_err(|thrown| driver_failed("read", &thrown))?;
    if text.is_undefined() || text.is_null() {
        return Ok(None);
    }
    let text: JsString = text.dyn_into().map_err(|_other| not_texts())?;
    member_value(member, &text).map(Some)
}

fn not_texts() -> JsValue {
    driver_answer(
        "read",
        "{ values, interrupts, reply, checkpoint } as texts or null, or null where there is no result",
    )
}
