//! The boundary: JavaScript values in and out, host callbacks, promises. No rule of its own.
//!
//! - Nothing of a run lives here: every export takes what it needs and returns what it decided, so
//!   an instance can be replaced at any time.
//! - An export starts its work when it is called. What must be read *now* (the text of a value) is
//!   read in a plain function; only the host's promise is waited for, by the facade (see `shell`).
//! - Every imported function that may run the host's code is `catch`: an exception that unwinds through
//!   WebAssembly frames leaks their stack until the instance dies. See `host_call` for what it answers.
//! - A failure is thrown as plain data `{ code, message, details, cause }`; the facade makes the
//!   error class of it. The host's own exception travels untouched as `cause`.

mod admission;
mod argument;
mod browser;
mod driver;
mod fault;
mod fields;
mod host_call;
mod lineage;
mod mark;
mod record;
mod resume;
mod run;
mod settle;
mod shell;
mod snapshot;
mod sql;
mod task;
mod task_list;
mod task_sql;
mod text;
mod thread_copy;

pub use admission::{check_admission, check_driver};
pub use browser::{
    browser_check, browser_create, browser_delete, browser_read, browser_record, browser_row,
    browser_runs, browser_set_status, browser_settle, browser_stamp,
};
pub use driver::Driver;
pub use host_call::Callback;
pub use lineage::{copied, imported_stands};
pub use mark::{mark_key, new_mark, read_mark};
pub use record::{
    call_primitive, cancel_paused_run, cancel_run, get_result, record_result, result_of,
    settle_run, start_run,
};
pub use resume::{begin, plan_answer};
pub use run::{ends_run, is_terminal_status, starts_run, stores_result};
pub use settle::{Settling, settle_attempt};
pub use shell::Work;
pub use snapshot::merge_results;
pub use sql::sql_statements;
pub use task::plan;
pub use task_list::{cursor_of, size_of, token_of};
pub use task_sql::{task_query, task_statements};
pub use text::wire_text;
pub use thread_copy::copied_checkpoint;
