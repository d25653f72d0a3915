//! Calls into the host's own code, which may throw.
//!
//! An import that throws must answer an `Option`: where the answer is a plain reference the glue has
//! taken a place for it in its table before it looks for the exception, and no one gives it back. `None`
//! is undefined or null.

use js_sys::{JsString, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A function that the host handed over.
    pub type Callback;

    #[wasm_bindgen(method, catch, js_name = call)]
    fn call0(this: &Callback, this_value: &JsValue) -> Result<Option<JsValue>, JsValue>;
    #[wasm_bindgen(method, catch, js_name = call)]
    fn call1(
        this: &Callback,
        this_value: &JsValue,
        argument: &JsValue,
    ) -> Result<Option<JsValue>, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    fn get_member(object: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue>;
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = getOwnPropertyDescriptor)]
    fn own_property(object: &JsValue, name: &str) -> Result<Option<Object>, JsValue>;
    #[wasm_bindgen(catch, js_namespace = JSON, js_name = parse)]
    fn parse_text(text: &JsString) -> Result<Option<JsValue>, JsValue>;
}

#[wasm_bindgen(module = "/src/js/host-call.js")]
extern "C" {
    /// What an answer is awaited by; `None` for one that is there.
    #[wasm_bindgen(catch)]
    pub(super) fn awaited(answer: &JsValue) -> Result<Option<Promise>, JsValue>;
}

impl Callback {
    pub(super) fn call(&self) -> Result<Option<JsValue>, JsValue> {
        self.call0(&JsValue::UNDEFINED)
    }

    pub(super) fn call_with(&self, argument: &JsValue) -> Result<Option<JsValue>, JsValue> {
        self.call1(&JsValue::UNDEFINED, argument)
    }
}

/// A member of an object, its own or an inherited one; `None` where it is undefined or null.
pub(super) fn member(object: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue> {
    get_member(object, name)
}

/// The value of an own data property.
pub(super) fn own_value(object: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue> {
    match own_property(object, name)? {
        Some(property) => member(&property, "value"),
        None => Ok(None),
    }
}

/// The engine's own reading of a JSON text.
pub(super) fn parsed(text: &JsString) -> Result<JsValue, JsValue> {
    Ok(parse_text(text)?.unwrap_or(JsValue::NULL))
}
