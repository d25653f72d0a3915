//! The members of a small plain object that JavaScript hands over, read one by one. A deserializer that
//! is generic over every type costs more code than all of these together.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::host_call::member;

/// Why an object is not what was asked for: the name of the member, and what it should be.
pub(super) type Wrong = String;

/// An object as its reader sees it.
pub(super) struct Fields<'a>(pub(super) &'a JsValue);

impl Fields<'_> {
    /// The same, undefined where there is none.
    fn get(&self, name: &str) -> JsValue {
        self.given(name).unwrap_or(JsValue::UNDEFINED)
    }

    /// A member; `None` where it is left out, undefined or null, and where it cannot be read.
    pub(super) fn given(&self, name: &str) -> Option<JsValue> {
        member(self.0, name).ok().flatten()
    }

    pub(super) fn text(&self, name: &str) -> Result<String, Wrong> {
        self.get(name)
            .as_string()
            .ok_or_else(|| wrong(name, "a text"))
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<String>, Wrong> {
        self.given(name)
            .map(|value| {
                value
                    .as_string()
                    .ok_or_else(|| wrong(name, "a text or null"))
            })
            .transpose()
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Wrong> {
        self.get(name)
            .as_bool()
            .ok_or_else(|| wrong(name, "true or false"))
    }

    /// A whole number from 0.
    pub(super) fn count(&self, name: &str) -> Result<u32, Wrong> {
        let number = self.get(name).as_f64().unwrap_or(f64::NAN);
        // Saturating, and not a number becomes 0: neither equals what was given.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let whole = number as u32;
        if f64::from(whole) == number {
            Ok(whole)
        } else {
            Err(wrong(name, "a whole number from 0"))
        }
    }

    /// A list whose members are read alike.
    pub(super) fn list<T>(
        &self,
        name: &str,
        member: impl Fn(JsValue) -> Option<T>,
    ) -> Result<Vec<T>, Wrong> {
        let list = self.get(name);
        let list = list
            .dyn_ref::<Array>()
            .ok_or_else(|| wrong(name, "a list"))?;
        list.iter()
            .map(|value| member(value).ok_or_else(|| wrong(name, "a list of texts")))
            .collect()
    }

    /// A member that one of a few names stands in.
    pub(super) fn named<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Wrong> {
        parse(&self.text(name)?).ok_or_else(|| wrong(name, "one of its names"))
    }
}

fn wrong(name: &str, expected: &str) -> Wrong {
    ["`", name, "` is not ", expected].concat()
}
