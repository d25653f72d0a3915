//! The browser's own storage, through gloo-storage. Each call is one read and at most one write of one
//! key; the facade holds the lock around it that keeps two tabs apart.
//!
//! `kind` is `local` or `session`, `prefix` sets the runs of one store apart. Every function fails
//! with `storage_unavailable` where there is no storage, and with `corrupt_result` for an entry that
//! cannot be read, which is left as it is.

use gloo_storage::{LocalStorage, SessionStorage, Storage as _};
use js_sys::{Array, JSON, JsString};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::Storage;

use super::fault::{fault, refused};
use super::host_call::parsed;
use super::text::reason_of;
use crate::error::{Error, ErrorCode};
use crate::fields::{Fields, Wrong};
use crate::result::browser_entry::{
    End, Entry, Stored, Texts, corrupt, entry_key, not_written, run_of_key, unavailable,
};
use crate::run::StatusOutcome;

/// A run as JavaScript reads it. `error` and `row` are JSON texts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    status: &'static str,
    error: Option<String>,
    updated_at: String,
    thread: String,
    row: String,
}

#[derive(Serialize)]
struct EndedRun {
    status: &'static str,
    won: bool,
}

/// Checks that the storage can be used, before anything is kept in it.
///
/// # Errors
///
/// `storage_unavailable`.
#[wasm_bindgen(js_name = browserCheck)]
pub fn browser_check(kind: &str) -> Result<(), JsValue> {
    storage(kind).map(|_storage| ())
}

/// Creates a run; one that is there is overwritten, and its result with it.
///
/// # Errors
///
/// `storage_full`, `invalid_argument`.
#[wasm_bindgen(js_name = browserCreate)]
pub fn browser_create(
    kind: &str,
    prefix: &str,
    run: &JsString,
    row: JsValue,
) -> Result<(), JsValue> {
    let entry = Entry::of_given(&Fields(&row)).map_err(|wrong| invalid(&wrong))?;
    let place = Place::of(kind, prefix, run)?;
    place
        .ok_or_else(|| invalid("its id holds half a surrogate pair"))?
        .write(&entry)
}

/// The run's row, without its result, or null.
#[wasm_bindgen(js_name = browserRow)]
pub fn browser_row(kind: &str, prefix: &str, run: &JsString) -> Result<JsValue, JsValue> {
    let Some(entry) = Place::read_of(kind, prefix, run)? else {
        return Ok(JsValue::NULL);
    };
    plain(&Row {
        status: entry.status.as_str(),
        error: entry.error,
        updated_at: entry.updated_at,
        thread: entry.thread,
        row: entry.row,
    })
}

/// The host's own status write: whatever the status was. False for an unknown run.
///
/// # Errors
///
/// `storage_full`, `invalid_argument`.
#[wasm_bindgen(js_name = browserSetStatus)]
pub fn browser_set_status(
    kind: &str,
    prefix: &str,
    run: &JsString,
    ending: JsValue,
) -> Result<bool, JsValue> {
    let (end, stamp) = ending_of(&ending)?;
    let written = Place::update_of(kind, prefix, run, &stamp, |entry| {
        entry.status = end.status;
        entry.error = end.error;
        entry.updated_at = end.at;
    })?;
    Ok(written.is_some())
}

/// The stamp of the write that this tab sees of a run, or null for none.
#[wasm_bindgen(js_name = browserStamp)]
pub fn browser_stamp(kind: &str, prefix: &str, run: &JsString) -> Result<Option<String>, JsValue> {
    Ok(Place::read_of(kind, prefix, run)?.map(|entry| entry.stamp))
}

/// Deletes the run and its result; a corrupt entry, too.
#[wasm_bindgen(js_name = browserDelete)]
pub fn browser_delete(kind: &str, prefix: &str, run: &JsString) -> Result<(), JsValue> {
    let Some(place) = Place::of(kind, prefix, run)? else {
        return Ok(());
    };
    place
        .storage
        .remove_item(&place.key)
        .map_err(|thrown| unusable(&thrown))
}

/// The ids of the store's runs, in no order. Keys of others are passed over.
#[wasm_bindgen(js_name = browserRuns)]
pub fn browser_runs(kind: &str, prefix: &str) -> Result<Array, JsValue> {
    let storage = storage(kind)?;
    let length = storage.length().map_err(|thrown| unusable(&thrown))?;
    let runs = Array::new();
    for index in 0..length {
        let key = storage.key(index).map_err(|thrown| unusable(&thrown))?;
        if let Some(run) = key.as_deref().and_then(|key| run_of_key(prefix, key)) {
            runs.push(&JsValue::from_str(run));
        }
    }
    Ok(runs)
}

/// The primitive `record`.
///
/// # Errors
///
/// `storage_full`: the run and its earlier result, if any, are as they were.
#[wasm_bindgen(js_name = browserRecord)]
pub fn browser_record(
    kind: &str,
    prefix: &str,
    run: &JsString,
    texts: JsValue,
    stamp: &str,
) -> Result<(), JsValue> {
    let texts = Texts::of_given(&Fields(&texts)).map_err(|wrong| invalid(&wrong))?;
    Place::update_of(kind, prefix, run, stamp, |entry| entry.record(texts))?;
    Ok(())
}

/// The primitive `read`: the texts, or null.
#[wasm_bindgen(js_name = browserRead)]
pub fn browser_read(kind: &str, prefix: &str, run: &JsString) -> Result<JsValue, JsValue> {
    match Place::read_of(kind, prefix, run)?.and_then(|entry| entry.result) {
        Some(texts) => plain(&texts),
        None => Ok(JsValue::NULL),
    }
}

/// The primitives `settle` and `cancel`: `{ status, won }`, or null for an unknown run.
///
/// # Errors
///
/// `storage_full`: neither status nor result was written.
#[wasm_bindgen(js_name = browserSettle)]
pub fn browser_settle(
    kind: &str,
    prefix: &str,
    run: &JsString,
    ending: JsValue,
) -> Result<JsValue, JsValue> {
    let (end, stamp) = ending_of(&ending)?;
    match Place::update_of(kind, prefix, run, &stamp, |entry| entry.settle(end))? {
        None => Ok(JsValue::NULL),
        Some(ended) => plain(&EndedRun {
            status: ended.effective().as_str(),
            won: matches!(ended, StatusOutcome::Won(_)),
        }),
    }
}

/// Where one run is kept.
struct Place {
    storage: Storage,
    key: String,
}

impl Place {
    /// `None` for an id that is no whole text: no run can be under it.
    fn of(kind: &str, prefix: &str, run: &JsString) -> Result<Option<Self>, JsValue> {
        let storage = storage(kind)?;
        if !run.is_valid_utf16() {
            return Ok(None);
        }
        Ok(Some(Self {
            storage,
            key: entry_key(prefix, &String::from(run)),
        }))
    }

    fn read_of(kind: &str, prefix: &str, run: &JsString) -> Result<Option<Entry>, JsValue> {
        Self::of(kind, prefix, run)?.map_or(Ok(None), |place| place.read())
    }

    fn update_of<R>(
        kind: &str,
        prefix: &str,
        run: &JsString,
        stamp: &str,
        change: impl FnOnce(&mut Entry) -> R,
    ) -> Result<Option<R>, JsValue> {
        Self::of(kind, prefix, run)?.map_or(Ok(None), |place| place.update(stamp, change))
    }

    fn read(&self) -> Result<Option<Entry>, JsValue> {
        match self
            .storage
            .get_item(&self.key)
            .map_err(|thrown| unusable(&thrown))?
        {
            None => Ok(None),
            Some(text) => self.entry(&text).map(Some),
        }
    }

    /// The engine's own JSON reads a text; what it makes of a text that is none is its own sentence.
    fn entry(&self, text: &str) -> Result<Entry, JsValue> {
        let unreadable = |why: &str| refused(&corrupt(&self.key, why));
        let value =
            parsed(&JsString::from(text)).map_err(|thrown| unreadable(&reason_of(&thrown)))?;
        let stored = Stored::of_given(&Fields(&value)).map_err(|wrong| unreadable(&wrong))?;
        Entry::of_stored(&self.key, stored).map_err(|error| refused(&error))
    }

    fn write(&self, entry: &Entry) -> Result<(), JsValue> {
        let stored = plain(&entry.to_stored())?;
        let text = JSON::stringify(&stored).map(String::from)?;
        self.storage
            .set_item(&self.key, &text)
            .map_err(|thrown| fault(&not_written(&reason_of(&thrown)), &thrown))
    }

    /// Changes the entry and writes it if that made a difference; `None` for an unknown run.
    fn update<R>(
        &self,
        stamp: &str,
        change: impl FnOnce(&mut Entry) -> R,
    ) -> Result<Option<R>, JsValue> {
        let Some(before) = self.read()? else {
            return Ok(None);
        };
        let mut entry = before.clone();
        let answer = change(&mut entry);
        if entry != before {
            stamp.clone_into(&mut entry.stamp);
            self.write(&entry)?;
        }
        Ok(Some(answer))
    }
}

/// The storage, checked first: gloo-storage's own accessor throws where there is no window, and where
/// the page may not use its storage.
fn storage(kind: &str) -> Result<Storage, JsValue> {
    let window =
        web_sys::window().ok_or_else(|| refused(&unavailable("there is no window here")))?;
    let found = match kind {
        "local" => window.local_storage(),
        "session" => window.session_storage(),
        other => {
            return Err(invalid(&format!(
                "{other:?} is neither local nor session storage"
            )));
        }
    };
    match found {
        Err(thrown) => Err(unusable(&thrown)),
        Ok(None) => Err(refused(&unavailable("this page has none"))),
        Ok(Some(_)) if kind == "local" => Ok(LocalStorage::raw()),
        Ok(Some(_)) => Ok(SessionStorage::raw()),
    }
}

fn unusable(thrown: &JsValue) -> JsValue {
    fault(&unavailable(&reason_of(thrown)), thrown)
}

/// How a run is to end, and the stamp of the write.
fn ending_of(ending: &JsValue) -> Result<(End, String), JsValue> {
    let given = Fields(ending);
    let read =
        || -> Result<(End, String), Wrong> { Ok((End::of_given(&given)?, given.text("stamp")?)) };
    read().map_err(|wrong| invalid(&wrong))
}

fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| invalid(&error.to_string()))
}

fn invalid(why: &str) -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        format!(
            "This run cannot be kept in the browser: {why}. Pass what the store's types ask for."
        ),
    ))
}
