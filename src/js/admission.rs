//! What a driver or a store offers, checked before anything is created.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::task::admission::Requirement;

/// Checks the callable methods of a driver by their names.
///
/// # Errors
///
/// `driver_incomplete`.
#[wasm_bindgen(js_name = checkDriver)]
pub fn check_driver(offered: &Array) -> Result<(), JsValue> {
    check(Requirement::Driver, offered)
}

/// Checks the callable methods of a run repository by their names.
///
/// # Errors
///
/// `results_unsupported`.
#[wasm_bindgen(js_name = checkAdmission)]
pub fn check_admission(offered: &Array) -> Result<(), JsValue> {
    check(Requirement::Admission, offered)
}

fn check(requirement: Requirement, offered: &Array) -> Result<(), JsValue> {
    let offers = |method: &str| offered.includes(&JsValue::from_str(method), 0);
    requirement.check(offers).map_err(|error| refused(&error))
}
