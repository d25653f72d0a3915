//! Names: a host's names of tables stay identifiers, and what stands in one of a few names is that name
//! to the letter.

use serde_json::Value;
use skein_results::run::RunStatus;
use skein_results::sql::result::{Dialect, RunTable, statements};
use skein_results::sql::task::{
    Members, TaskFilter, cancel_paused, lock_paused, pass_over, resumable, task_count,
    task_lineage, task_page,
};
use skein_results::task::view::{Pause, Shape, TaskState, Thread};

use crate::json::{Json, text};
use crate::near::{Expected, Near, Text};
use crate::target::fuzz;

const NAMES: [&str; 9] = [
    "table",
    "id",
    "status",
    "error",
    "updatedAt",
    "thread",
    "order",
    "kwargs",
    "metadata",
];
const TABLE: Expected = Expected::Object(&[
    ("table", Expected::Text),
    ("id", Expected::Text),
    ("status", Expected::Text),
    ("error", Expected::Text),
    ("updatedAt", Expected::Text),
    ("thread", Expected::Text),
    ("order", Expected::Text),
    ("kwargs", Expected::Text),
    ("metadata", Expected::Text),
]);

/// What SQL makes of a text. Names in quotation marks are the host's or the package's own.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Literal(String),
    Other(char),
}

/// Reads SQL as a database does; a quotation mark that is never closed is none of ours.
fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sql.chars().peekable();
    while let Some(mark) = rest.next() {
        if mark != '"' && mark != '\'' {
            tokens.push(Token::Other(mark));
            continue;
        }
        let mut quoted = String::new();
        loop {
            let next = rest.next().expect("every quotation is closed");
            if next != mark {
                quoted.push(next);
            } else if rest.peek() == Some(&mark) {
                quoted.push(mark);
                rest.next();
            } else {
                break;
            }
        }
        tokens.push(if mark == '"' {
            Token::Name(quoted)
        } else {
            Token::Literal(quoted)
        });
    }
    tokens
}

/// Every statement of a driver.
fn all(dialect: Dialect, table: &RunTable) -> Vec<String> {
    let filter = TaskFilter {
        task: false,
        thread: true,
        metadata: true,
        state: Some(TaskState::Canceled),
        since: true,
        after: true,
        members: Members::Answers,
    };
    let of_runs = statements(dialect, table);
    let of_tasks = [
        Some(task_page(dialect, table, filter)),
        Some(task_count(dialect, table, filter)),
        Some(task_lineage(dialect, table, filter)),
        Some(cancel_paused(dialect, table)),
        Some(pass_over(dialect, table)),
        lock_paused(dialect, table),
        Some(resumable(dialect, table)),
    ];
    let texts = of_tasks
        .into_iter()
        .flatten()
        .map(|statement| statement.text);
    [
        of_runs.record,
        of_runs.read,
        of_runs.settle,
        of_runs.cancel,
        of_runs.start,
        of_runs.status,
        of_runs.read_many,
        of_runs.attach_many,
        of_runs.checkpoints,
        of_runs.copy_many,
    ]
    .into_iter()
    .chain(texts)
    .collect()
}

/// Names that nothing else has, each for its own place.
fn places() -> RunTable {
    let place = |name: &str| format!("§{name}");
    RunTable {
        table: place("table"),
        id: place("id"),
        status: place("status"),
        error: place("error"),
        updated_at: place("updatedAt"),
        thread: place("thread"),
        order: place("order"),
        kwargs: place("kwargs"),
        metadata: place("metadata"),
    }
}

/// The tokens of a statement with the host's names in their places; a dot separates a schema.
fn placed(model: &[Token], names: &Value) -> Vec<Token> {
    let mut placed = Vec::with_capacity(model.len());
    for token in model {
        let place = match token {
            Token::Name(name) => name.strip_prefix('§'),
            Token::Literal(_) | Token::Other(_) => None,
        };
        match place {
            None => placed.push(token.clone()),
            Some(place) => {
                for (part, name) in text(names, place).unwrap().split('.').enumerate() {
                    if part > 0 {
                        placed.push(Token::Other('.'));
                    }
                    placed.push(Token::Name(name.to_owned()));
                }
            }
        }
    }
    placed
}

#[test]
fn the_names_of_a_table() {
    let sights = ["no JSON", "names", "refused"];
    let models: Vec<_> = [Dialect::Sqlite, Dialect::Postgres]
        .into_iter()
        .map(|dialect| {
            let statements = all(dialect, &places());
            let model: Vec<_> = statements.iter().map(|text| tokens(text)).collect();
            (dialect, model)
        })
        .collect();
    fuzz(
        "the_names_of_a_table",
        Near(TABLE),
        &sights,
        |given, seen| {
            let Some(json) = Json::parse(given) else {
                return seen.note("no JSON");
            };
            let are_there = NAMES.iter().all(|name| text(&json.0, name).is_some());
            let Ok(table) = RunTable::of_given(&json.fields()) else {
                seen.note("refused");
                return assert!(!are_there);
            };
            seen.note("names");
            assert!(are_there);
            for (dialect, models) in &models {
                for (statement, model) in all(*dialect, &table).iter().zip(models) {
                    assert_eq!(tokens(statement), placed(model, &json.0));
                }
            }
        },
    );
}

const KNOWN: Expected = Expected::Name(&[
    "pending",
    "running",
    "success",
    "error",
    "timeout",
    "interrupted",
    "cancelled",
    "submitted",
    "working",
    "input-required",
    "completed",
    "failed",
    "canceled",
    "absent",
    "null",
    "text",
    "data",
    "parts",
    "none",
    "breakpoint",
    "questions",
    "at-this-run",
    "moved-on",
]);

#[test]
fn one_of_a_few_names() {
    let sights = ["a name", "none"];
    fuzz(
        "one_of_a_few_names",
        (Near(KNOWN), Text),
        &sights,
        |(near, odd), seen| {
            let near = Json::parse(near).and_then(|json| json.0.as_str().map(str::to_owned));
            let near = near.unwrap_or_default();
            for name in [
                near.as_str(),
                odd,
                &format!("{near}{odd}"),
                &format!("{odd}{near}"),
                &near.to_uppercase(),
            ] {
                let status = RunStatus::parse(name).map(|status| status.to_string());
                let state = TaskState::parse(name).map(|state| {
                    assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
                    state.as_str().to_owned()
                });
                let found = [
                    status,
                    state,
                    Shape::parse(name).map(|shape| format!("{shape:?}").to_lowercase()),
                    Pause::parse(name).map(|pause| format!("{pause:?}").to_lowercase()),
                    Thread::parse(name).map(|thread| match thread {
                        Thread::AtThisRun => "at-this-run".to_owned(),
                        Thread::MovedOn => "moved-on".to_owned(),
                    }),
                ];
                for found in found {
                    seen.note(if found.is_some() { "a name" } else { "none" });
                    assert!(found.is_none_or(|found| found == name));
                }
            }
        },
    );
}
