//! Statuses and the first write, for drivers that keep their rows in JavaScript.

use wasm_bindgen::prelude::*;

use super::argument::text;
use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::result::first_write::{Slot, Write, first_write};
use crate::run::{RunStatus, StatusOutcome, end_run, start_run};

/// True for a status that is final.
///
/// # Errors
///
/// `invalid_argument` for a name that is no status.
#[wasm_bindgen(js_name = isTerminalStatus)]
pub fn is_terminal_status(status: &JsValue) -> Result<bool, JsValue> {
    Ok(named(status)?.is_terminal())
}

/// Whether a conditional write of `requested` wins over a row that holds `current`.
///
/// # Errors
///
/// `invalid_argument` for a name that is no status.
#[wasm_bindgen(js_name = endsRun)]
pub fn ends_run(current: &JsValue, requested: &JsValue) -> Result<bool, JsValue> {
    Ok(matches!(
        end_run(named(current)?, named(requested)?),
        StatusOutcome::Won(_)
    ))
}

/// Whether a run that holds `current` may be started.
///
/// # Errors
///
/// `invalid_argument` for a name that is no status.
#[wasm_bindgen(js_name = startsRun)]
pub fn starts_run(current: &JsValue) -> Result<bool, JsValue> {
    Ok(start_run(named(current)?) == StatusOutcome::Won(RunStatus::Running))
}

/// Whether a result is stored, for a slot that is `no-run`, `empty` or `written`.
#[wasm_bindgen(js_name = storesResult)]
pub fn stores_result(slot: &str) -> bool {
    let slot = match slot {
        "empty" => Slot::Empty,
        "written" => Slot::Written,
        _ => Slot::NoRun,
    };
    first_write(slot) == Write::Store
}

fn named(status: &JsValue) -> Result<RunStatus, JsValue> {
    parsed(&text("status", status)?)
}

/// The status of a name.
pub(super) fn parsed(status: &str) -> Result<RunStatus, JsValue> {
    RunStatus::parse(status).ok_or_else(|| {
        refused(&Error::new(
            ErrorCode::InvalidArgument,
            format!("{status:?} is no run status. Use pending, running, success, error, timeout, interrupted or cancelled."),
        ))
    })
}
