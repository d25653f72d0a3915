//! A snapshot's results: whole or nothing, the first entry of a run that is there, and never in place
//! of a result (contract 7).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use skein_results::error::{Detail, Error, ErrorCode};
use skein_results::reference::{ReferenceStore, Row};
use skein_results::result::snapshot::{
    EntriesShape, Malformed, Occurrence, Placement, Run, entries, malformed_entry, place,
    supported_version,
};
use skein_results::run::RunStatus;

use crate::json::Json;
use crate::near::{Expected, IDS, Near, Text};
use crate::target::fuzz;

const SNAPSHOT: Expected = Expected::Object(&[
    ("version", Expected::Version),
    (
        "results",
        Expected::List(&Expected::Pair(&Expected::Object(&[(
            "values",
            Expected::Text,
        )]))),
    ),
]);

type Store = ReferenceStore<String, Value>;

/// The runs `a` to `c`, of which the flags say which have a result.
fn store(written: u8) -> Store {
    let mut store = Store::default();
    for (place, run) in IDS.iter().take(3).enumerate() {
        let row = Row::new("t".to_owned(), None, RunStatus::ALL[place * 2]);
        store.create((*run).to_owned(), row);
        if written & (1 << place) != 0 {
            store.record(&(*run).to_owned(), "the first".into());
        }
    }
    store
}

/// The entries to attach, as the boundary finds them.
fn merged(snapshot: &Value, store: &Store) -> Result<Vec<(String, Value)>, Error> {
    supported_version(version_text(&snapshot["version"]).as_deref())?;
    let results = &snapshot["results"];
    let member = match results {
        Value::Null => EntriesShape::Empty,
        Value::Array(all) if all.is_empty() => EntriesShape::Empty,
        Value::Array(_) => EntriesShape::List,
        _ => EntriesShape::Other,
    };
    let mut attached: Vec<(String, Value)> = Vec::new();
    if entries(member)? == EntriesShape::Empty {
        return Ok(attached);
    }
    for (index, entry) in (0..).zip(results.as_array().unwrap()) {
        let malformed = |malformed: Malformed| malformed_entry(index, None, malformed.why());
        let pair = entry.as_array().filter(|pair| pair.len() == 2);
        let pair = pair.ok_or_else(|| malformed(Malformed::NoPair))?;
        let run = pair[0]
            .as_str()
            .ok_or_else(|| malformed(Malformed::NoRunId))?;
        let values = pair[1].as_object().and_then(|result| result.get("values"));
        let values = values.ok_or_else(|| malformed_entry(index, Some(run), "no values."))?;
        let known = match store.row(&run.to_owned()) {
            Some(_) => Run::Known,
            None => Run::Unknown,
        };
        let seen = match attached.iter().any(|(other, _)| other == run) {
            true => Occurrence::Again,
            false => Occurrence::First,
        };
        if place(known, seen) == Placement::Attach {
            attached.push((run.to_owned(), values.clone()));
        }
    }
    Ok(attached)
}

/// As the engine prints it.
fn version_text(version: &Value) -> Option<String> {
    match version {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_f64().unwrap().to_string()),
        _ => Some("of another kind".to_owned()),
    }
}

/// The entries that a snapshot has, by the contract alone; the place of the first that is none.
fn demanded(snapshot: &Value) -> Result<Vec<(&str, &Value)>, Option<usize>> {
    let version = &snapshot["version"];
    let is_read = version.is_null() || *version == "1" || version.as_f64() == Some(1.0);
    match &snapshot["results"] {
        _ if !is_read => Err(None),
        Value::Null => Ok(Vec::new()),
        Value::Array(all) => all
            .iter()
            .enumerate()
            .map(|(place, entry)| match entry.as_array().map(Vec::as_slice) {
                Some([Value::String(run), Value::Object(result)]) => {
                    let values = result.get("values").ok_or(Some(place))?;
                    Ok((run.as_str(), values))
                }
                _ => Err(Some(place)),
            })
            .collect(),
        _ => Err(None),
    }
}

#[test]
fn the_results_of_a_snapshot() {
    let sights = [
        "no JSON",
        "refused",
        "refused by an entry",
        "attached",
        "an orphan",
        "kept",
    ];
    fuzz(
        "the_results_of_a_snapshot",
        (Near(SNAPSHOT), 0_u8..8),
        &sights,
        |(text, written), seen| {
            let Some(Json(snapshot)) = Json::parse(text) else {
                return seen.note("no JSON");
            };
            let before = store(*written);
            let mut after = before.clone();
            let merge = merged(&snapshot, &before).map(|attached| {
                let runs: BTreeSet<_> = attached.iter().map(|(run, _)| run.clone()).collect();
                assert_eq!(runs.len(), attached.len(), "one entry for a run");
                assert!(runs.iter().all(|run| before.row(run).is_some()));
                after.attach_many(attached);
            });
            let demanded = match demanded(&snapshot) {
                Ok(demanded) => demanded,
                Err(at) => {
                    let error = merge.expect_err("it is refused");
                    assert_eq!(error.code(), ErrorCode::InvalidSnapshot);
                    assert_eq!(after, before, "nothing was imported");
                    let named = error.details().iter().find(|(name, _)| *name == "entry");
                    let place = at.map(|at| Detail::Text(at.to_string()));
                    assert_eq!(named.map(|(_, detail)| detail), place.as_ref());
                    if let Some(at) = at {
                        let why = error.message();
                        let is_told = match snapshot["results"][at].as_array().map(Vec::as_slice) {
                            Some([Value::String(_), _]) => why.contains("malformed: no values."),
                            Some([_, _]) => why.contains("malformed: its run id is no text."),
                            _ => why.contains("malformed: it is no pair of"),
                        };
                        assert!(is_told, "{why}");
                    }
                    return seen.note(if at.is_some() {
                        "refused by an entry"
                    } else {
                        "refused"
                    });
                }
            };
            merge.expect("it is taken");
            let mut first: BTreeMap<&str, &Value> = BTreeMap::new();
            for (run, values) in demanded {
                first.entry(run).or_insert(values);
            }
            for (run, row) in before.rows() {
                let entry = first.remove(run.as_str());
                if row.result.is_some() && entry.is_some() {
                    seen.note("kept");
                } else if entry.is_some() {
                    seen.note("attached");
                }
                let expected = row.result.as_ref().or(entry);
                assert_eq!(after.read(run), expected);
                assert_eq!(after.row(run).unwrap().status, row.status);
            }
            if !first.is_empty() {
                seen.note("an orphan");
            }
            assert_eq!(
                after.rows().count(),
                before.rows().count(),
                "an import of results creates no run"
            );
            let again = merged(&snapshot, &after).unwrap();
            let once = after.clone();
            after.attach_many(again);
            assert_eq!(after, once, "a second import changes nothing");
        },
    );
}

#[test]
fn a_version_of_a_snapshot() {
    fuzz(
        "a_version_of_a_snapshot",
        Text,
        &["read", "refused"],
        |version, seen| {
            let read = supported_version(Some(version));
            assert_eq!(read.is_ok(), version == "1");
            match read {
                Ok(()) => seen.note("read"),
                Err(error) => {
                    seen.note("refused");
                    assert_eq!(error.code(), ErrorCode::InvalidSnapshot);
                    assert!(error.message().contains(version.as_str()));
                }
            }
        },
    );
}

#[test]
fn a_malformed_entry() {
    let inputs = (bolero::produce::<u32>(), Text, Text);
    fuzz(
        "a_malformed_entry",
        inputs,
        &["told"],
        |(index, run, why), seen| {
            seen.note("told");
            let error = malformed_entry(*index, Some(run), why);
            let detail = |text: &String| Detail::Text(text.clone());
            let details = [
                ("entry", detail(&index.to_string())),
                ("runId", detail(run)),
            ];
            assert_eq!(error.details(), &details);
            assert!(error.message().contains(why.as_str()));
            assert_eq!(malformed_entry(*index, None, why).details(), &details[..1]);
        },
    );
}
