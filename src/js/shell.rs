//! Performs host calls that may answer at once or with a promise.

use core::future::Future;
use core::task::{Context, Poll, Waker};

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// What the host answered, awaited only if it is a promise.
pub(super) async fn answered(answer: Result<JsValue, JsValue>) -> Result<JsValue, JsValue> {
    let answer = answer?;
    if is_thenable(&answer)? {
        JsFuture::from(Promise::resolve(&answer)).await
    } else {
        Ok(answer)
    }
}

fn is_thenable(answer: &JsValue) -> Result<bool, JsValue> {
    if !answer.is_object() {
        return Ok(false);
    }
    if answer.is_instance_of::<Promise>() {
        return Ok(true);
    }
    Ok(Reflect::get(answer, &JsValue::from_str("then"))?.is_instance_of::<Function>())
}

/// Runs the work up to its first promise now. Work that needed none is done when this returns, and
/// costs no promise of its own.
pub(super) fn now_or_promise<F>(work: F) -> Result<JsValue, JsValue>
where
    F: Future<Output = Result<JsValue, JsValue>> + 'static,
{
    let mut work = Box::pin(work);
    let first = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    match first {
        Poll::Ready(outcome) => outcome,
        // Polled again by the promise, which registers a waker that works.
        Poll::Pending => Ok(future_to_promise(work).into()),
    }
}
