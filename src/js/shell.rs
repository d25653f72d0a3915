//! Performs host calls that may answer at once or with a promise.

use core::future::Future;
use core::task::{Context, Poll, Waker};

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::host_call::is_thenable;

#[wasm_bindgen(module = "/src/js/host-call.js")]
extern "C" {
    fn awaited(answer: &JsValue) -> Promise;
}

/// What the host answered, awaited only if it is a promise.
pub(super) async fn answered(answer: Result<Option<JsValue>, JsValue>) -> Result<JsValue, JsValue> {
    match answer? {
        None => Ok(JsValue::UNDEFINED),
        Some(answer) if is_thenable(&answer)? => JsFuture::from(awaited(&answer)).await,
        Some(answer) => Ok(answer),
    }
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
