//! Answers to paused runs.

use wasm_bindgen::prelude::*;

use super::argument::{optional_text, text};
use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::fields::Fields;
use crate::run::RunStatus;
use crate::task::resume::{Begin, Resume, ResumeAnswer, ResumeFacts, begin_resume, plan_resume};

/// What the graph is given for an answer: null to go on from a breakpoint, the id of the interrupt that
/// a plain answer is for, or true for the named answers as they came.
///
/// # Errors
///
/// `resume_refused`, with the reason; `invalid_argument`.
#[wasm_bindgen(js_name = planResume)]
pub fn plan_answer(facts: JsValue) -> Result<JsValue, JsValue> {
    let given = Fields(&facts);
    let facts = ResumeFacts::of_given(&given).map_err(|wrong| invalid(&wrong))?;
    let answer = ResumeAnswer::of_given(&given).map_err(|wrong| invalid(&wrong))?;
    match plan_resume(&facts, &answer) {
        Ok(Resume::Continue) => Ok(JsValue::NULL),
        Ok(Resume::Answer(id)) => Ok(id.into()),
        Ok(Resume::Answers) => Ok(JsValue::TRUE),
        Err(refusal) => Err(refused(&refusal.into())),
    }
}

/// True if a continuation answers its pause now; false if an earlier attempt of it has, and the graph
/// goes on from there.
///
/// # Errors
///
/// `resume_refused`, with the reason; `invalid_argument`.
#[wasm_bindgen(js_name = beginResume)]
pub fn begin(
    paused: &JsValue,
    checkpoint: &JsValue,
    tip: &JsValue,
    base: &JsValue,
) -> Result<bool, JsValue> {
    let paused = optional_text("status", paused)?;
    let checkpoint = text("checkpoint", checkpoint)?;
    let tip = optional_text("tip", tip)?;
    let base = optional_text("base", base)?;
    let paused = paused.as_deref().map(status_of).transpose()?;
    begin_resume(paused, &checkpoint, tip.as_deref(), base.as_deref())
        .map(|begin| begin == Begin::Answer)
        .map_err(|refusal| refused(&refusal.into()))
}

fn status_of(name: &str) -> Result<RunStatus, JsValue> {
    RunStatus::parse(name).ok_or_else(|| invalid("its status is no run status"))
}

fn invalid(why: &str) -> JsValue {
    refused(&Error::new(
        ErrorCode::InvalidArgument,
        format!("This run cannot be resumed: {why}. Pass the run row as the store returns it."),
    ))
}
