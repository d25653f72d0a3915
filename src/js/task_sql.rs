//! The statements about tasks.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::sql::{dialect_of, invalid, table_of};
use crate::fields::Fields;
use crate::sql::task::{
    Statement, TaskFilter, cancel_paused, lock_paused, pass_over, resumable, task_count,
    task_lineage, task_page,
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
    let table = table_of(&names)?;
    to_value(&Texts {
        cancel_paused: cancel_paused(dialect, &table).into(),
        pass_over: pass_over(dialect, &table).into(),
        lock_paused: lock_paused(dialect, &table).map(Into::into),
        resumable: resumable(dialect, &table).into(),
    })
}

#[derive(Serialize)]
struct Query {
    page: Text,
    count: Text,
    lineage: Text,
}

/// The statements of a list: `{ page, count, lineage }`, for a filter `{ given, state, answers }`.
///
/// # Errors
///
/// `invalid_argument`.
#[wasm_bindgen(js_name = taskQuery)]
pub fn task_query(dialect: &str, names: JsValue, filter: JsValue) -> Result<JsValue, JsValue> {
    let dialect = dialect_of(dialect)?;
    let table = table_of(&names)?;
    let filter = TaskFilter::of_given(&Fields(&filter)).map_err(|wrong| invalid(&wrong))?;
    to_value(&Query {
        page: task_page(dialect, &table, filter).into(),
        count: task_count(dialect, &table, filter).into(),
        lineage: task_lineage(dialect, &table, filter).into(),
    })
}

fn to_value(texts: &impl Serialize) -> Result<JsValue, JsValue> {
    serde_wasm_bindgen::to_value(texts).map_err(|error| invalid(&error.to_string()))
}
