//! What the browser's storage holds, and what its store is told: an entry is read whole or left as it
//! is, the first result stays, and no two stores meet under one key (contract 2 and 5).

use serde_json::Value;
use skein_results::error::{Detail, Error, ErrorCode};
use skein_results::result::browser_entry::{
    ENTRY_VERSION, End, Entry, Stored, Texts, corrupt, entry_key, run_of_key,
};
use skein_results::result::first_write::Write;
use skein_results::run::{RunStatus, StatusOutcome};

use crate::json::{Json, count, optional_text, text};
use crate::near::{Expected, Near, Text};
use crate::target::fuzz;

const STATUS: Expected = Expected::Mostly(
    "\"running\"",
    &[
        "\"pending\"",
        "\"success\"",
        "\"interrupted\"",
        "\"cancelled\"",
        "\"Running\"",
        "\"\"",
    ],
);
const RESULT: Expected = Expected::Object(&[
    ("values", Expected::Text),
    ("interrupts", Expected::Text),
    ("reply", Expected::Text),
    ("checkpoint", Expected::Text),
]);
const ENTRY: Expected = Expected::Object(&[
    ("v", Expected::Version),
    ("status", STATUS),
    ("error", Expected::Text),
    ("updated_at", Expected::Text),
    ("thread", Expected::Id),
    ("row", Expected::Text),
    ("result", Expected::Maybe(&RESULT)),
    ("stamp", Expected::Text),
]);
const ROW: Expected = Expected::Object(&[
    ("status", STATUS),
    ("error", Expected::Text),
    ("updatedAt", Expected::Text),
    ("thread", Expected::Id),
    ("row", Expected::Text),
    ("stamp", Expected::Text),
]);
const ENDING: Expected = Expected::Object(&[
    ("status", STATUS),
    ("error", Expected::Text),
    ("at", Expected::Text),
    ("result", Expected::Maybe(&RESULT)),
]);

/// As the boundary reads it; the sentence of the engine's own parser is another.
fn entry_of(key: &str, json: &Json) -> Result<Entry, Error> {
    let stored = Stored::of_given(&json.fields()).map_err(|wrong| corrupt(key, &wrong))?;
    Entry::of_stored(key, stored)
}

fn written(entry: &Entry) -> String {
    serde_json::to_string(&entry.to_stored()).unwrap()
}

/// What serde makes of the same value, which knows nothing of the readers. It takes lists for objects
/// and no 1.0 for 1, so these are put right first.
fn by_serde(value: &Value) -> Option<Stored> {
    let mut value = value.clone();
    if value.get("result").is_some_and(Value::is_array) {
        return None;
    }
    let version = count(&value, "v")?;
    value
        .as_object_mut()?
        .insert("v".to_owned(), version.into());
    serde_json::from_value(value).ok()
}

#[test]
fn a_stored_entry() {
    let sights = [
        "no JSON",
        "an entry",
        "another version",
        "no status",
        "no entry",
    ];
    fuzz("a_stored_entry", Near(ENTRY), &sights, |text, seen| {
        let Some(json) = Json::parse(text) else {
            return seen.note("no JSON");
        };
        let expected = by_serde(&json.0);
        match entry_of("the key", &json) {
            Ok(entry) => {
                seen.note("an entry");
                let stored = expected.expect("serde reads it, too");
                assert_eq!(stored.v, ENTRY_VERSION);
                let plain = serde_json::to_value(&stored).unwrap();
                assert_eq!(serde_json::to_value(entry.to_stored()).unwrap(), plain);
                let text = written(&entry);
                let again = entry_of("the key", &Json::parse(&text).unwrap()).unwrap();
                assert_eq!(written(&again), text);
                assert_eq!(again, entry);
            }
            Err(error) => {
                seen.note(match expected {
                    None => "no entry",
                    Some(stored) if stored.v != ENTRY_VERSION => "another version",
                    Some(stored) => {
                        assert!(RunStatus::ALL.iter().all(|s| s.as_str() != stored.status));
                        "no status"
                    }
                });
                assert_eq!(error.code(), ErrorCode::CorruptResult);
                let key = ("key", Detail::Text("the key".to_owned()));
                assert_eq!(error.details(), &[key]);
            }
        }
    });
}

/// The texts that an oracle finds in a value.
fn texts_in(value: &Value) -> Option<Texts> {
    let optional = |name| Some(optional_text(value, name)?.map(str::to_owned));
    Some(Texts {
        values: text(value, "values")?.to_owned(),
        interrupts: optional("interrupts")?,
        reply: optional("reply")?,
        checkpoint: optional("checkpoint")?,
    })
}

fn status_in(value: &Value) -> Option<RunStatus> {
    let name = text(value, "status")?;
    RunStatus::ALL
        .into_iter()
        .find(|status| status.to_string() == name)
}

#[test]
fn a_new_row() {
    fuzz(
        "a_new_row",
        Near(ROW),
        &["no JSON", "a run", "refused"],
        |row, seen| {
            let Some(json) = Json::parse(row) else {
                return seen.note("no JSON");
            };
            let own = |name| text(&json.0, name).map(str::to_owned);
            let expected = || {
                Some(Entry {
                    status: status_in(&json.0)?,
                    error: optional_text(&json.0, "error")?.map(str::to_owned),
                    updated_at: own("updatedAt")?,
                    thread: own("thread")?,
                    row: own("row")?,
                    result: None,
                    stamp: optional_text(&json.0, "stamp")?
                        .unwrap_or_default()
                        .to_owned(),
                })
            };
            let read = Entry::of_given(&json.fields()).ok();
            assert_eq!(read, expected());
            match read {
                None => seen.note("refused"),
                Some(entry) => {
                    seen.note("a run");
                    let text = written(&entry);
                    assert_eq!(entry_of("k", &Json::parse(&text).unwrap()), Ok(entry));
                }
            }
        },
    );
}

#[test]
fn an_end_of_an_entry() {
    let sights = [
        "refused",
        "won",
        "lost",
        "its first result",
        "an earlier result",
    ];
    let inputs = (Near(ENTRY), Near(ENDING));
    fuzz(
        "an_end_of_an_entry",
        inputs,
        &sights,
        |(entry, ending), seen| {
            let (Some(entry), Some(ending)) = (Json::parse(entry), Json::parse(ending)) else {
                return;
            };
            let Ok(before) = entry_of("k", &entry) else {
                return;
            };
            let Ok(end) = End::of_given(&ending.fields()) else {
                return seen.note("refused");
            };
            assert_eq!(Some(end.status), status_in(&ending.0));
            assert_eq!(end.result, ending.0.get("result").and_then(texts_in));
            let result = end.result.clone();
            let mut after = before.clone();
            let ended = after.settle(end.clone());
            let is_in_flight = matches!(before.status, RunStatus::Pending | RunStatus::Running);
            if is_in_flight {
                seen.note("won");
                assert_eq!(ended, StatusOutcome::Won(end.status));
                let first = before.result.clone().or_else(|| result.clone());
                if before.result.is_none() && result.is_some() {
                    seen.note("its first result");
                }
                assert_eq!(
                    after,
                    Entry {
                        status: end.status,
                        error: end.error,
                        updated_at: end.at,
                        result: first,
                        ..before.clone()
                    }
                );
            } else {
                seen.note("lost");
                assert_eq!(ended, StatusOutcome::Lost(before.status));
                assert_eq!(after, before);
            }
            let Some(texts) = result else { return };
            let has_one = after.result.is_some();
            let kept = after.result.clone().unwrap_or_else(|| texts.clone());
            assert_eq!(after.record(texts) == Write::Store, !has_one);
            if has_one {
                seen.note("an earlier result");
            }
            assert_eq!(after.result, Some(kept));
        },
    );
}

#[test]
fn the_texts_of_a_result() {
    fuzz(
        "the_texts_of_a_result",
        Near(RESULT),
        &["no JSON", "texts", "refused"],
        |given, seen| {
            let Some(json) = Json::parse(given) else {
                return seen.note("no JSON");
            };
            let read = Texts::of_given(&json.fields()).ok();
            assert_eq!(read, texts_in(&json.0));
            seen.note(if read.is_some() { "texts" } else { "refused" });
        },
    );
}

#[test]
fn the_keys_of_two_stores() {
    let sights = ["of the store", "of somebody else"];
    let inputs = (Text, Text, Text, Text);
    fuzz(
        "the_keys_of_two_stores",
        inputs,
        &sights,
        |(prefix, run, other, odd), seen| {
            let key = entry_key(prefix, run);
            assert_eq!(run_of_key(prefix, &key), Some(run.as_str()));
            let whole = [
                key.clone(),
                odd.clone(),
                format!("{}{odd}", entry_key(prefix, "")),
                format!("{odd}{key}"),
            ];
            for key in &whole {
                match run_of_key(other, key) {
                    None => seen.note("of somebody else"),
                    Some(found) => {
                        seen.note("of the store");
                        assert_eq!(&entry_key(other, found), key);
                    }
                }
            }
            if prefix != other {
                assert_eq!(run_of_key(other, &key), None, "{key:?} is of {prefix:?}");
            }
        },
    );
}
