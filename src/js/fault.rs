//! A typed error as the plain data that the facade throws.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::error::{Detail, Error, ErrorCode};

/// The error as plain data, with the host's exception as its cause.
pub(super) fn fault(error: &Error, cause: &JsValue) -> JsValue {
    let details = Object::new();
    for (name, detail) in error.details() {
        let value = match detail {
            Detail::Text(text) => JsValue::from_str(text),
            Detail::Names(names) => names
                .iter()
                .map(|name| JsValue::from_str(name))
                .collect::<Array>()
                .into(),
        };
        set(&details, name, &value);
    }
    let data = Object::new();
    set(&data, "code", &JsValue::from_str(error.code().as_str()));
    set(&data, "message", &JsValue::from_str(error.message()));
    set(&data, "details", &details);
    set(&data, "cause", cause);
    data.into()
}

/// The error as plain data, without a cause.
pub(super) fn refused(error: &Error) -> JsValue {
    fault(error, &JsValue::UNDEFINED)
}

/// The failure of a host call, with what the host threw as its cause.
pub(super) fn driver_failed(primitive: &str, thrown: &JsValue) -> JsValue {
    let reason = super::text::reason_of(thrown);
    let error = Error::new(
        ErrorCode::DriverFailed,
        format!("The store's `{primitive}` failed: {reason}. Look at `cause` and at the database."),
    );
    fault(
        &error.with("primitive", Detail::Text(primitive.to_owned())),
        thrown,
    )
}

/// The failure of a host call that answered with something its interface does not allow.
pub(super) fn driver_answer(primitive: &'static str, expected: &str) -> JsValue {
    let error = Error::new(
        ErrorCode::DriverAnswer,
        format!(
            "The store's `{primitive}` must answer {expected}; it answered something else. Fix the driver."
        ),
    );
    refused(&error.with("primitive", Detail::Text(primitive.to_owned())))
}

/// A new plain object takes any key, so the outcome of the write carries nothing.
fn set(object: &Object, key: &str, value: &JsValue) {
    let _always_true = Reflect::set(object, &JsValue::from_str(key), value);
}
