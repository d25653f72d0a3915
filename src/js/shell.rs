//! The thin shell around the rules: it calls the host and waits for what the host answers.
//!
//! The host's promises are waited for by the facade, and not in here: a step that traps then fails a call
//! that somebody waits for, and not a callback that nobody does.

use core::cell::RefCell;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::host_call::awaited;

thread_local! {
    /// What the work that is being polled waits for.
    static WAITS: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// What the host answered, awaited only if it is a promise. One that answers nothing says so by null.
pub(super) async fn answered(answer: Result<Option<JsValue>, JsValue>) -> Result<JsValue, JsValue> {
    let Some(answer) = answer? else {
        return Ok(JsValue::NULL);
    };
    let Some(promise) = awaited(&answer)? else {
        return Ok(answer);
    };
    WAITS.set(Some(promise.clone()));
    JsFuture::from(promise).await
}

/// A piece of work that the host may keep waiting: `[outcome]` when it is done, `[answer, step]` while it
/// waits. What the answer's promise settles to is to be given to the answer, and then the next step is to
/// be taken, which answers in the same way.
pub type Work = Result<Array, JsValue>;

type Step = Closure<dyn FnMut() -> Work>;

/// Begins a piece of work, up to its first promise. One that needs none is done when this returns.
pub(super) fn perform<F>(work: F) -> Work
where
    F: Future<Output = Result<JsValue, JsValue>> + 'static,
{
    let mut work = Box::pin(work);
    if let Some(outcome) = poll(work.as_mut()) {
        return outcome.map(|value| Array::of1(&value));
    }
    let own: Rc<RefCell<Option<Step>>> = Rc::default();
    let held = Rc::clone(&own);
    let step = Step::new(move || match poll(work.as_mut()) {
        // The glue frees a step only when it has returned.
        Some(outcome) => {
            held.take();
            outcome.map(|value| Array::of1(&value))
        }
        None => Ok(waiting(held.borrow().as_ref())),
    });
    let first = waiting(Some(&step));
    own.replace(Some(step));
    Ok(first)
}

fn poll<F>(work: Pin<&mut F>) -> Option<Result<JsValue, JsValue>>
where
    F: Future<Output = Result<JsValue, JsValue>>,
{
    // Nothing has to be woken: who holds the step takes it when the promise has settled.
    match work.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}

fn waiting(step: Option<&Step>) -> Array {
    let promise = WAITS.take().map_or(JsValue::UNDEFINED, JsValue::from);
    let step = step.map_or(JsValue::UNDEFINED, |step| step.as_js_value().clone());
    Array::of2(&promise, &step)
}
