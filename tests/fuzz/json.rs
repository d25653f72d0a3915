//! A JSON value as the readers of the rules see it.

use serde_json::Value;
use skein_results::fields::{Fields, Outside};

/// The value of a text, where it is JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Json(pub(crate) Value);

impl Json {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    pub(crate) fn fields(&self) -> Fields<'_, Self> {
        Fields(self)
    }
}

impl Outside for Json {
    fn nothing() -> Self {
        Self(Value::Null)
    }

    fn member(&self, name: &str) -> Option<Self> {
        let member = self.0.get(name)?;
        (!member.is_null()).then(|| Self(member.clone()))
    }

    fn as_text(&self) -> Option<String> {
        self.0.as_str().map(str::to_owned)
    }

    fn as_number(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_flag(&self) -> Option<bool> {
        self.0.as_bool()
    }

    fn length(&self) -> Option<u32> {
        u32::try_from(self.0.as_array()?.len()).ok()
    }

    fn item(&self, place: u32) -> Self {
        let list = self.0.as_array().expect("a list");
        Self(list[usize::try_from(place).unwrap()].clone())
    }
}

/// What a value is to an oracle that knows nothing of the readers: absent and null are the same.
pub(crate) enum Kind<'a> {
    Nothing,
    Text(&'a str),
    Other,
}

pub(crate) fn kind<'a>(value: &'a Value, name: &str) -> Kind<'a> {
    match value.as_object().and_then(|object| object.get(name)) {
        None | Some(Value::Null) => Kind::Nothing,
        Some(Value::String(text)) => Kind::Text(text),
        Some(_) => Kind::Other,
    }
}

/// A text; `None` for anything else.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    match kind(value, name) {
        Kind::Text(text) => Some(text),
        Kind::Nothing | Kind::Other => None,
    }
}

/// A text or nothing; `None` for anything else.
pub(crate) fn optional_text<'a>(value: &'a Value, name: &str) -> Option<Option<&'a str>> {
    match kind(value, name) {
        Kind::Nothing => Some(None),
        Kind::Text(text) => Some(Some(text)),
        Kind::Other => None,
    }
}

/// A whole number from 0 to the largest of 32 bits, however it is written.
pub(crate) fn count(value: &Value, name: &str) -> Option<u32> {
    let Value::Number(number) = value.as_object()?.get(name)? else {
        return None;
    };
    match number.as_u64() {
        Some(whole) => u32::try_from(whole).ok(),
        None => {
            let number = number.as_f64()?;
            let is_whole = number.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(&number);
            is_whole.then(|| format!("{:.0}", number.abs()).parse().unwrap())
        }
    }
}
