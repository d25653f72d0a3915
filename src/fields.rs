//! The members of a small plain object from outside, read one by one.
//!
//! Every object that a rule looks into is read here: a mark, a stored entry, the facts about an answer.
//! What is left out and what is null are the same, a number is what it is worth, and nothing is made of
//! one kind that was given in another. A deserializer that is generic over every type costs more code
//! than all of these together.

/// Why an object is not what was asked for: the name of the member, and what it should be.
pub type Wrong = String;

/// A value from outside: one of the engine's in the package, any other in tests.
pub trait Outside: Sized {
    /// What stands for a member that is not there: no text, no number, nothing else either.
    fn nothing() -> Self;
    /// A member; `None` where it is left out, undefined or null, and where it cannot be read.
    fn member(&self, name: &str) -> Option<Self>;
    /// A text.
    fn as_text(&self) -> Option<String>;
    /// A number.
    fn as_number(&self) -> Option<f64>;
    /// True or false.
    fn as_flag(&self) -> Option<bool>;
    /// How many members a list has; `None` for what is no list.
    fn length(&self) -> Option<u32>;
    /// A member of a list.
    fn item(&self, place: u32) -> Self;
}

/// An object as its reader sees it.
#[derive(Debug)]
pub struct Fields<'a, V>(pub &'a V);

impl<V: Outside> Fields<'_, V> {
    /// A member; `None` where it is left out or null.
    pub fn given(&self, name: &str) -> Option<V> {
        self.0.member(name)
    }

    fn get(&self, name: &str) -> V {
        self.given(name).unwrap_or_else(V::nothing)
    }

    /// A text.
    ///
    /// # Errors
    ///
    /// [`Wrong`], and so for the others.
    pub fn text(&self, name: &str) -> Result<String, Wrong> {
        self.get(name)
            .as_text()
            .ok_or_else(|| wrong(name, "a text"))
    }

    /// A text, or none.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, Wrong> {
        self.given(name)
            .map(|value| value.as_text().ok_or_else(|| wrong(name, "a text or null")))
            .transpose()
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> Result<bool, Wrong> {
        self.get(name)
            .as_flag()
            .ok_or_else(|| wrong(name, "true or false"))
    }

    /// A whole number from 0.
    pub fn count(&self, name: &str) -> Result<u32, Wrong> {
        let number = self.get(name).as_number().unwrap_or(f64::NAN);
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
    pub fn list<T>(&self, name: &str, member: impl Fn(&V) -> Option<T>) -> Result<Vec<T>, Wrong> {
        let list = self.get(name);
        let length = list.length().ok_or_else(|| wrong(name, "a list"))?;
        (0..length)
            .map(|place| member(&list.item(place)).ok_or_else(|| wrong(name, "a list of texts")))
            .collect()
    }

    /// A member that one of a few names stands in.
    pub fn named<T>(&self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Wrong> {
        parse(&self.text(name)?).ok_or_else(|| wrong(name, "one of its names"))
    }
}

fn wrong(name: &str, expected: &str) -> Wrong {
    ["`", name, "` is not ", expected].concat()
}
