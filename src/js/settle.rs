//! Performs the capture machine of [`crate::result::capture`] on the host's calls.

use wasm_bindgen::prelude::*;

use super::argument::text;
use super::driver::{ended_status, run_status};
use super::fault::{fault, refused};
use super::shell::{Work, answered, perform};
use super::text::reason_of;
use crate::error::{Detail, Error, ErrorCode};
use crate::result::capture::{
    Action, End, HostAnswer, Marking, Phase, Support, advance, awaiting, begin, phase_after,
};

#[wasm_bindgen]
extern "C" {
    /// One settle of one execution attempt, as the facade hands it over: the attempt's phase, and the
    /// host's calls.
    #[derive(Clone)]
    pub type Settling;

    #[wasm_bindgen(method, getter, js_name = runId)]
    fn run_id(this: &Settling) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn marking(this: &Settling) -> String;
    #[wasm_bindgen(method, getter)]
    fn support(this: &Settling) -> String;
    #[wasm_bindgen(method, getter)]
    fn phase(this: &Settling) -> String;
    #[wasm_bindgen(method, setter)]
    fn set_phase(this: &Settling, phase: &str);

    #[wasm_bindgen(method, catch, js_name = settleRun)]
    fn settle_run(
        this: &Settling,
        status: &str,
        result: &JsValue,
    ) -> Result<Option<JsValue>, JsValue>;
    #[wasm_bindgen(method, catch, js_name = recordResult)]
    fn record_result(this: &Settling, result: &JsValue) -> Result<Option<JsValue>, JsValue>;
    #[wasm_bindgen(method, catch, js_name = writeStatus)]
    fn write_status(this: &Settling, status: &str) -> Result<Option<JsValue>, JsValue>;
}

/// Settles a run: `end` is `finished` or `stopped`, with the status to write. Answers the effective
/// status.
///
/// # Errors
///
/// `capture_failed`, with the failure of the capture as its cause; `invalid_argument`; and what the
/// host's own status write threw, untouched.
#[wasm_bindgen(js_name = settleAttempt)]
pub fn settle_attempt(
    settling: Settling,
    end: &JsValue,
    status: &JsValue,
    result: JsValue,
) -> Work {
    let (end, status) = (text("end", end)?, text("status", status)?);
    let end = End::parse(&end, &status, result).ok_or_else(no_end)?;
    let marking = Marking::parse(&settling.marking());
    let support = Support::parse(&settling.support());
    perform(async move {
        let mut action = begin(phase(&settling), marking, support, end);
        let mut thrown = JsValue::UNDEFINED;
        loop {
            // Read anew at each step: another settle of this attempt may have ended it meanwhile.
            let reached = phase_after(phase(&settling), &action);
            settling.set_phase(reached.as_str());
            let Some(waiting) = awaiting(&action) else {
                break;
            };
            let answer = match action {
                Action::Settle { status, result } => {
                    let result = result.unwrap_or(JsValue::UNDEFINED);
                    let call = settling.settle_run(status.as_str(), &result);
                    answered(call)
                        .await
                        .map(|answer| HostAnswer::Settled(ended_status(&answer)))
                }
                Action::Record { result, .. } => answered(settling.record_result(&result))
                    .await
                    .map(|_nothing| HostAnswer::Recorded),
                Action::WriteStatus(status) => answered(settling.write_status(status.as_str()))
                    .await
                    .map(|effective| HostAnswer::StatusWritten(run_status(&effective))),
                Action::Done(_) | Action::Fail | Action::Raise => break,
            };
            let answer = answer.unwrap_or_else(|error| {
                thrown = error;
                HostAnswer::Failed
            });
            action = advance(phase(&settling), waiting, answer);
        }
        match action {
            Action::Done(status) => Ok(JsValue::from_str(status.as_str())),
            Action::Raise => Err(thrown),
            _failed => {
                let run = settling.run_id().as_string().unwrap_or_default();
                Err(capture_failed(&run, support, &thrown))
            }
        }
    })
}

fn no_end() -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        "A run settles as { end: \"finished\", status: \"success\" | \"interrupted\" } or as \
         { end: \"stopped\", status: \"error\" | \"timeout\" | \"interrupted\" | \"cancelled\" }.",
    ))
}

fn phase(settling: &Settling) -> Phase {
    Phase::parse(&settling.phase())
}

fn capture_failed(run_id: &str, support: Support, thrown: &JsValue) -> JsValue {
    let reason = match (support, thrown.is_undefined()) {
        (Support::Lacking, _) => "its store has no `recordResult`".to_owned(),
        (_, true) => "an earlier capture of this attempt failed".to_owned(),
        (_, false) => reason_of(thrown),
    };
    let error = Error::new(
        ErrorCode::CaptureFailed,
        format!(
            "The result of run {run_id} could not be captured: {reason}. The run must end in `error`."
        ),
    );
    fault(
        &error.with("runId", Detail::Text(run_id.to_owned())),
        thrown,
    )
}
