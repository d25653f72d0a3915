//! Texts that are handed over as arguments.
//!
//! The glue takes whatever stands in the place of a `&str` for a text, and writes it into memory by
//! the length that it claims to have. So an argument that a host's own data can reach is taken as any
//! value, and asked here whether it is a text.

use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::error::{Error, ErrorCode};

/// The text of an argument.
pub(super) fn text(name: &str, value: &JsValue) -> Result<String, JsValue> {
    value.as_string().ok_or_else(|| {
        refused(&Error::new(
            ErrorCode::InvalidArgument,
            format!("`{name}` is not a text. Pass a string."),
        ))
    })
}

/// The text of an argument, or `None` where it is undefined or null.
pub(super) fn optional_text(name: &str, value: &JsValue) -> Result<Option<String>, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    text(name, value).map(Some)
}
