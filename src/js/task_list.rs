//! Pages of a list of tasks.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::argument::text;
use super::fault::refused;
use crate::task::list::{Cursor, page_cursor, page_size, page_token};

/// The size of a page.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = pageSize)]
pub fn size_of(wanted: Option<f64>) -> Result<u32, JsValue> {
    page_size(wanted).map_err(|error| refused(&error))
}

/// The token that leads behind a run of this time.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = pageToken)]
pub fn token_of(at: &JsValue, run: &JsValue) -> Result<String, JsValue> {
    let (at, run) = (text("at", at)?, text("run", run)?);
    Ok(page_token(&Cursor { at, run }))
}

/// The time and the run that a token leads behind, as `[at, run]`; null for the empty token.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = pageCursor)]
pub fn cursor_of(token: &JsValue) -> Result<JsValue, JsValue> {
    match page_cursor(&text("pageToken", token)?).map_err(|error| refused(&error))? {
        Some(Cursor { at, run }) => Ok(Array::of2(&at.into(), &run.into()).into()),
        None => Ok(JsValue::NULL),
    }
}
