//! Answers to paused runs.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::fault::refused;
use crate::error::{Error, ErrorCode};
use crate::resume::{
    Answer, Begin, Facts, Paused, Place, Resume, Saved, begin_resume, plan_resume,
};
use crate::run::RunStatus;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    status: String,
    last: bool,
    thread: String,
    paused: Option<Checkpoint>,
    exact: Option<String>,
    tip: Option<String>,
    pending: Vec<Option<String>>,
    /// The interrupts that are answered; none for a plain answer.
    named: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Checkpoint {
    thread: String,
    checkpoint: String,
}

/// What the graph is given for an answer: null to go on from a breakpoint, the id of the interrupt that
/// a plain answer is for, or true for the named answers as they came.
///
/// # Errors
///
/// `resume_refused`, with the reason; `invalid_argument`.
#[wasm_bindgen(js_name = planResume)]
pub fn plan_answer(facts: JsValue) -> Result<JsValue, JsValue> {
    let given: Given =
        serde_wasm_bindgen::from_value(facts).map_err(|error| invalid(&error.to_string()))?;
    let facts = Facts {
        status: status_of(&given.status)?,
        place: if given.last {
            Place::Last
        } else {
            Place::PassedOver
        },
        thread: given.thread,
        paused: given
            .paused
            .map(|Checkpoint { thread, checkpoint }| Paused { thread, checkpoint }),
        saved: Saved {
            exact: given.exact,
            tip: given.tip,
            pending: given.pending,
        },
    };
    let answer = given.named.map_or(Answer::Plain, Answer::Named);
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
    paused: Option<String>,
    checkpoint: &str,
    tip: Option<String>,
    base: Option<String>,
) -> Result<bool, JsValue> {
    let paused = paused.as_deref().map(status_of).transpose()?;
    begin_resume(paused, checkpoint, tip.as_deref(), base.as_deref())
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
