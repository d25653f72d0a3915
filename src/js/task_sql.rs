//! The statements about tasks.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::sql::{dialect_of, invalid, table_of};
use crate::task::TaskState;
use crate::task_sql::{
    Members, Statement, TaskFilter, cancel_paused, lock_paused, pass_over, resumable, task_count,
    task_page,
};

#[derive(Serialize)]
struct Text {
    text: String,
    parameters: Vec<&'static str>,
}

impl From<Statement> for Text {
    fn from(Statement { text, parameters }: Statement) -> Self {
        Self { text, parameters }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Texts {
    cancel_paused: Text,
    pass_over: Text,
    lock_paused: Option<Text>,
    resumable: Text,
}

/// The statements for paused tasks: `{ cancelPaused, passOver, lockPaused, resumable }`, each
/// `{ text, parameters }`.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = taskStatements)]
pub fn task_statements(dialect: &str, names: JsValue) -> Result<JsValue, JsValue> {
    let dialect = dialect_of(dialect)?;
    let table = table_of(names)?;
    to_value(&Texts {
        cancel_paused: cancel_paused(dialect, &table).into(),
        pass_over: pass_over(dialect, &table).into(),
        lock_paused: lock_paused(dialect, &table).map(Into::into),
        resumable: resumable(dialect, &table).into(),
    })
}

#[derive(Deserialize)]
struct Filter {
    /// The names of the given parameters.
    given: Vec<String>,
    state: Option<TaskState>,
    answers: bool,
}

#[derive(Serialize)]
struct Query {
    page: Text,
    count: Text,
}

/// The statements of a list: `{ page, count }`, for a filter `{ given, state, answers }`.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = taskQuery)]
pub fn task_query(dialect: &str, names: JsValue, filter: JsValue) -> Result<JsValue, JsValue> {
    let dialect = dialect_of(dialect)?;
    let table = table_of(names)?;
    let Filter {
        given,
        state,
        answers,
    } = serde_wasm_bindgen::from_value(filter).map_err(|error| invalid(&error.to_string()))?;
    let has = |name: &str| given.iter().any(|other| other == name);
    let filter = TaskFilter {
        task: has("task"),
        thread: has("thread"),
        metadata: has("metadata"),
        state,
        since: has("since"),
        after: has("after"),
        members: if answers {
            Members::Answers
        } else {
            Members::Questions
        },
    };
    to_value(&Query {
        page: task_page(dialect, &table, filter).into(),
        count: task_count(dialect, &table, filter).into(),
    })
}

fn to_value(texts: &impl Serialize) -> Result<JsValue, JsValue> {
    serde_wasm_bindgen::to_value(texts).map_err(|error| invalid(&error.to_string()))
}
