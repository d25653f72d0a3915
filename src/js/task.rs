//! The plan of a task.

use wasm_bindgen::prelude::*;

use super::fault::refused;
use super::fields::{Fields, Wrong};
use crate::error::{Error, ErrorCode};
use crate::run::RunStatus;
use crate::task::{Facts, Pause, Shape, Thread, plan_task};

/// Plans how to show a run: `{ state, artifact: { source, part } | undefined, note }`.
///
/// # Errors
///
/// `invalid_argument`: facts of another shape.
#[wasm_bindgen(js_name = planTask)]
pub fn plan(facts: JsValue) -> Result<JsValue, JsValue> {
    let plan = plan_task(facts_of(&Fields(&facts)).map_err(|wrong| invalid(&wrong))?);
    serde_wasm_bindgen::to_value(&plan).map_err(|error| invalid(&error.to_string()))
}

fn facts_of(given: &Fields<'_>) -> Result<Facts, Wrong> {
    Ok(Facts {
        status: given.named("status", RunStatus::parse)?,
        reply: given.named("reply", Shape::parse)?,
        values: given.named("values", Shape::parse)?,
        pause: given.named("pause", Pause::parse)?,
        thread: given.named("thread", Thread::parse)?,
    })
}

fn invalid(why: &str) -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        format!(
            "This run cannot be shown as a task: {why}. Pass the run row as the store returns it."
        ),
    ))
}
