//! The engine's values as the rules read them.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::host_call;
use crate::fields::Outside;

impl Outside for JsValue {
    fn nothing() -> Self {
        Self::UNDEFINED
    }

    fn member(&self, name: &str) -> Option<Self> {
        host_call::member(self, name).ok().flatten()
    }

    fn as_text(&self) -> Option<String> {
        self.as_string()
    }

    fn as_number(&self) -> Option<f64> {
        self.as_f64()
    }

    fn as_flag(&self) -> Option<bool> {
        self.as_bool()
    }

    fn length(&self) -> Option<u32> {
        self.dyn_ref::<Array>().map(Array::length)
    }

    fn item(&self, place: u32) -> Self {
        self.unchecked_ref::<Array>().get(place)
    }
}
