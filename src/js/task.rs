//! The plan of a task.

use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::fields::Fields;
use crate::task::view::{TaskFacts, plan_task};

/// Plans how to show a run: `{ state, artifact: { source, part } | undefined, note }`.
///
/// # Errors
///
/// `invalid_argument`: facts of another shape.
#[wasm_bindgen(js_name = planTask)]
pub fn plan(facts: JsValue) -> Result<JsValue, JsValue> {
    let plan = plan_task(TaskFacts::of_given(&Fields(&facts)).map_err(|wrong| invalid(&wrong))?);
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
