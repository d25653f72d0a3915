//! The statements of the SQL drivers.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::fields::Fields;
use crate::sql::result::{Dialect, RunTable, statements};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Texts {
    record: String,
    read: String,
    settle: String,
    cancel: String,
    start: String,
    status: String,
    read_many: String,
    attach_many: String,
    lock_many: Option<String>,
    checkpoints: String,
    copy_many: String,
}

/// The statements for `sqlite` or `postgres` and a host's names: `{ record, read, settle, cancel,
/// start, status, readMany, attachMany, lockMany, checkpoints, copyMany }`.
///
/// # Errors
///
/// `invalid_argument`: a name that is missing, or another dialect.
#[wasm_bindgen(js_name = sqlStatements)]
pub fn sql_statements(dialect: &str, names: JsValue) -> Result<JsValue, JsValue> {
    let written = statements(dialect_of(dialect)?, &table_of(&names)?);
    let texts = Texts {
        record: written.record,
        read: written.read,
        settle: written.settle,
        cancel: written.cancel,
        start: written.start,
        status: written.status,
        read_many: written.read_many,
        attach_many: written.attach_many,
        lock_many: written.lock_many,
        checkpoints: written.checkpoints,
        copy_many: written.copy_many,
    };
    serde_wasm_bindgen::to_value(&texts).map_err(|error| invalid(&error.to_string()))
}

pub(super) fn dialect_of(dialect: &str) -> Result<Dialect, JsValue> {
    match dialect {
        "sqlite" => Ok(Dialect::Sqlite),
        "postgres" => Ok(Dialect::Postgres),
        other => Err(invalid(&format!("{other:?} is no dialect"))),
    }
}

pub(super) fn table_of(names: &JsValue) -> Result<RunTable, JsValue> {
    RunTable::of_given(&Fields(names)).map_err(|wrong| invalid(&wrong))
}

pub(super) fn invalid(why: &str) -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        format!(
            "The names of the runs table cannot be used: {why}. Pass table and column names as texts."
        ),
    ))
}
