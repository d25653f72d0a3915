//! Marks that are copied or imported.

use wasm_bindgen::prelude::*;

use super::argument::text;
use super::host_call::{Callback, member};
use super::mark::{own_mark, plain};
use crate::task::lineage::{Root, copied_mark, imported_mark_stands};

/// The mark of copied kwargs, with the task's id as `copyOf` has it, or null: an ordinary run, or one
/// whose task was not copied.
///
/// # Errors
///
/// What `copyOf` throws.
#[wasm_bindgen(js_name = copiedMark)]
pub fn copied(kwargs: &JsValue, copy_of: &Callback) -> Result<JsValue, JsValue> {
    let Some(mark) = own_mark(kwargs) else {
        return Ok(JsValue::NULL);
    };
    let target = copy_of
        .call_with(&JsValue::from_str(&mark.root))?
        .and_then(|target| target.as_string());
    match copied_mark(mark, |_root| target) {
        Some(mark) => plain(&mark),
        None => Ok(JsValue::NULL),
    }
}

/// Whether the mark of imported kwargs may stand. `rootOf` answers `{ thread, kwargs }` of a run, or
/// null for an unknown one.
///
/// # Errors
///
/// `invalid_argument` for an id that is no text; what `rootOf` throws.
#[wasm_bindgen(js_name = importedMarkStands)]
pub fn imported_stands(
    run: &JsValue,
    thread: &JsValue,
    kwargs: &JsValue,
    root_of: &Callback,
) -> Result<bool, JsValue> {
    let run = text("runId", run)?;
    let thread = text("threadId", thread)?;
    let Some(mark) = own_mark(kwargs) else {
        return Ok(false);
    };
    let root = match root_of.call_with(&JsValue::from_str(&mark.root))? {
        Some(found) if found.is_object() => Root::Run {
            thread: member(&found, "thread")?
                .and_then(|thread| thread.as_string())
                .unwrap_or_default(),
            mark: member(&found, "kwargs")?.and_then(|kwargs| own_mark(&kwargs)),
        },
        _ => Root::Unknown,
    };
    Ok(imported_mark_stands(&run, &thread, &mark, &root))
}
