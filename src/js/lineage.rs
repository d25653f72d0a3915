//! Marks that are copied or imported.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

use super::mark::{own_mark, plain};
use crate::lineage::{Root, copied_mark, imported_mark_stands};

/// The mark of copied kwargs, with the task's id as `copyOf` has it, or null: an ordinary run, or one
/// whose task was not copied.
///
/// # Errors
///
/// What `copyOf` throws.
#[wasm_bindgen(js_name = copiedMark)]
pub fn copied(kwargs: &JsValue, copy_of: &Function) -> Result<JsValue, JsValue> {
    let Some(mark) = own_mark(kwargs) else {
        return Ok(JsValue::NULL);
    };
    let target = copy_of
        .call1(&JsValue::UNDEFINED, &JsValue::from_str(&mark.root))?
        .as_string();
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
/// What `rootOf` throws.
#[wasm_bindgen(js_name = importedMarkStands)]
pub fn imported_stands(
    run: &str,
    thread: &str,
    kwargs: &JsValue,
    root_of: &Function,
) -> Result<bool, JsValue> {
    let Some(mark) = own_mark(kwargs) else {
        return Ok(false);
    };
    let found = root_of.call1(&JsValue::UNDEFINED, &JsValue::from_str(&mark.root))?;
    let root = if found.is_object() {
        Root::Run {
            thread: Reflect::get(&found, &"thread".into())?
                .as_string()
                .unwrap_or_default(),
            mark: own_mark(&Reflect::get(&found, &"kwargs".into())?),
        }
    } else {
        Root::Unknown
    };
    Ok(imported_mark_stands(run, thread, &mark, &root))
}
