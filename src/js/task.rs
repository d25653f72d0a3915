//! The plan of a task.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::run::RunStatus;
use crate::task::{Facts, Pause, Shape, Thread, plan_task};

#[derive(Deserialize)]
struct Given {
    status: String,
    reply: Shape,
    values: Shape,
    pause: Pause,
    thread: Thread,
}

/// Plans how to show a run: `{ state, artifact: { source, part } | undefined, note }`.
///
/// # Errors
///
/// `invalid_argument`: facts of another shape.
#[wasm_bindgen(js_name = planTask)]
pub fn plan(facts: JsValue) -> Result<JsValue, JsValue> {
    let given: Given =
        serde_wasm_bindgen::from_value(facts).map_err(|error| invalid(&error.to_string()))?;
    let status =
        RunStatus::parse(&given.status).ok_or_else(|| invalid("its status is no run status"))?;
    let plan = plan_task(Facts {
        status,
        reply: given.reply,
        values: given.values,
        pause: given.pause,
        thread: given.thread,
    });
    serde_wasm_bindgen::to_value(&plan).map_err(|error| invalid(&error.to_string()))
}

fn invalid(why: &str) -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        format!(
            "This run cannot be shown as a task: {why}. Pass the run row as the store returns it."
        ),
    ))
}
