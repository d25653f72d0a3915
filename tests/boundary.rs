//! The boundary as JavaScript sees it, run by `wasm-pack test --node`.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use js_sys::{Array, Function, JSON, JsString, Object, Promise, Reflect};
use skein_results::js;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use wasm_bindgen_test::wasm_bindgen_test;

fn eval(source: &str) -> JsValue {
    Function::new_no_args(&format!("return ({source})"))
        .call0(&JsValue::NULL)
        .unwrap()
}

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap()
}

fn text(value: &JsValue) -> String {
    JSON::stringify(value).map(String::from).unwrap_or_default()
}

fn code(thrown: &JsValue) -> String {
    field(thrown, "code").as_string().unwrap()
}

/// A driver over one slot, of which each answer is given by `wrap`: at once, or by a promise.
fn driver(wrap: &str) -> js::Driver {
    eval(&format!(
        "(() => {{
            const wrap = {wrap};
            const driver = {{
                stored: null,
                seen: [],
                record(run, texts) {{ driver.seen.push(texts); driver.stored ??= {{ ...texts }}; return wrap(undefined); }},
                read(run) {{ return wrap(driver.stored && {{ ...driver.stored }}); }},
            }};
            return driver;
        }})()"
    ))
    .unchecked_into()
}

const AT_ONCE: &str = "(answer) => answer";
const LATER: &str = "(answer) => new Promise((resolve) => setTimeout(resolve, 1, answer))";

/// Takes the steps of a piece of work as the facade does.
async fn settled(work: js::Work) -> Result<JsValue, JsValue> {
    let mut work = work?;
    while work.length() == 2 {
        let waits = work.get(0);
        let answer = JsFuture::from(member(&waits, "promise").unchecked_into::<Promise>()).await;
        let (tell, told) = match &answer {
            Ok(value) => ("resolved", value),
            Err(thrown) => ("rejected", thrown),
        };
        member(&waits, tell)
            .unchecked_into::<Function>()
            .call1(&waits, told)?;
        let step = work.get(1).unchecked_into::<Function>();
        work = step.call0(&JsValue::UNDEFINED)?.unchecked_into();
    }
    Ok(work.get(0))
}

fn member(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap()
}

fn run() -> JsString {
    JsString::from("run-1")
}

#[wasm_bindgen_test]
async fn the_first_result_comes_back_whole_from_drivers_of_both_kinds() {
    for wrap in [AT_ONCE, LATER] {
        let driver = driver(wrap);
        let first = eval("{ values: { a: [1, null, 'x'] }, reply: false, interrupts: undefined }");
        settled(js::record_result(driver.clone(), run(), &first))
            .await
            .unwrap();
        settled(js::record_result(
            driver.clone(),
            run(),
            &eval("{ values: 2 }"),
        ))
        .await
        .unwrap();
        let result = settled(js::get_result(driver, run())).await.unwrap();
        assert_eq!(
            text(&result),
            r#"{"values":{"a":[1,null,"x"]},"reply":false}"#
        );
    }
}

#[wasm_bindgen_test]
fn a_driver_that_answers_at_once_costs_no_promise() {
    let driver = driver(AT_ONCE);
    let recorded = js::record_result(driver.clone(), run(), &eval("{ values: 1 }")).unwrap();
    assert_eq!(recorded.length(), 1);
    assert_eq!(js::get_result(driver, run()).unwrap().length(), 1);
}

#[wasm_bindgen_test]
async fn the_text_is_taken_when_the_result_is_handed_over() {
    let driver = driver(LATER);
    let result = eval("{ values: { a: 1 } }");
    let pending = js::record_result(driver.clone(), run(), &result);
    Reflect::set(&field(&result, "values"), &"a".into(), &2.into()).unwrap();
    settled(pending).await.unwrap();
    let stored = settled(js::get_result(driver, run())).await.unwrap();
    assert_eq!(text(&stored), r#"{"values":{"a":1}}"#);
}

#[wasm_bindgen_test]
fn what_json_cannot_carry_is_a_typed_failure_with_its_place_and_cause() {
    for (source, place) in [
        ("{ values: { a: [1, { n: 5n }] } }", "values.a[1].n"),
        (
            "(() => { const o = { b: {} }; o.b.o = o; return { values: o }; })()",
            "values.b.o",
        ),
        (
            "{ values: { get x() { throw new Error('boom'); } } }",
            "values.x",
        ),
        (
            "{ values: {}, reply: { toJSON() { throw new Error('boom'); } } }",
            "reply",
        ),
        (
            "{ values: [{ toDict() { throw new Error('boom'); } }] }",
            "values[0]",
        ),
    ] {
        let thrown = js::record_result(driver(AT_ONCE), run(), &eval(source)).unwrap_err();
        assert_eq!(code(&thrown), "not_serializable", "{source}");
        assert_eq!(
            field(&field(&thrown, "details"), "path")
                .as_string()
                .unwrap(),
            place
        );
        assert!(
            field(&thrown, "cause").is_instance_of::<js_sys::Error>(),
            "{source}"
        );
    }
}

#[wasm_bindgen_test]
fn depth_is_limited_by_a_typed_failure_and_never_by_the_stack() {
    let nested = |levels: u32| {
        eval(&format!(
            "(() => {{ let v = []; for (let i = 1; i < {levels}; i++) v = [v]; return {{ values: v }}; }})()"
        ))
    };
    assert!(js::record_result(driver(AT_ONCE), run(), &nested(1_000)).is_ok());
    for levels in [1_001, 5_000, 200_000] {
        let thrown = js::record_result(driver(AT_ONCE), run(), &nested(levels)).unwrap_err();
        assert_eq!(code(&thrown), "too_deep");
    }
}

#[wasm_bindgen_test]
fn only_an_object_with_values_is_a_result() {
    for source in [
        "undefined",
        "null",
        "5",
        "'text'",
        "[]",
        "{}",
        "{ value: 1 }",
    ] {
        let thrown = js::record_result(driver(AT_ONCE), run(), &eval(source)).unwrap_err();
        assert_eq!(code(&thrown), "invalid_result", "{source}");
    }
    let driver = driver(AT_ONCE);
    js::record_result(driver.clone(), run(), &eval("{ values: undefined }")).unwrap();
    assert_eq!(
        text(&js::get_result(driver, run()).unwrap().get(0)),
        r#"{"values":null}"#
    );
}

#[wasm_bindgen_test]
async fn a_driver_that_throws_or_rejects_keeps_its_exception_as_the_cause() {
    for wrap in [
        "() => { throw new TypeError('down') }",
        "() => Promise.reject(new TypeError('down'))",
    ] {
        let failed = settled(js::record_result(
            driver(wrap),
            run(),
            &eval("{ values: 1 }"),
        ))
        .await;
        let thrown = failed.unwrap_err();
        assert_eq!(code(&thrown), "driver_failed");
        assert!(field(&thrown, "cause").is_instance_of::<js_sys::TypeError>());
    }
}

#[wasm_bindgen_test]
async fn a_junk_answer_of_a_driver_is_refused() {
    for junk in [
        "5",
        "'text'",
        "{ values: 5 }",
        "{ values: '1', reply: {} }",
        "() => 1",
    ] {
        let driver = eval(&format!("{{ read: () => ({junk}) }}")).unchecked_into();
        assert_eq!(
            code(&settled(js::get_result(driver, run())).await.unwrap_err()),
            "driver_answer"
        );
    }
    for none in ["null", "undefined", "{ values: null, reply: null }"] {
        let driver = eval(&format!("{{ read: () => ({none}) }}")).unchecked_into();
        assert!(
            settled(js::get_result(driver, run()))
                .await
                .unwrap()
                .is_null()
        );
    }
    let corrupt = eval("{ read: () => ({ values: '{' }) }").unchecked_into();
    assert_eq!(
        code(&js::get_result(corrupt, run()).unwrap_err()),
        "corrupt_result"
    );
}

#[wasm_bindgen_test]
async fn a_driver_may_call_back_into_the_package() {
    let inner = driver(LATER);
    let reenter = {
        let inner = inner.clone();
        Closure::<dyn Fn() -> JsValue>::new(move || {
            let work = js::record_result(inner.clone(), run(), &eval("{ values: 'inner' }"));
            future_to_promise(settled(work)).into()
        })
    };
    let outer: js::Driver = Object::new().unchecked_into();
    Reflect::set(&outer, &"record".into(), reenter.as_ref()).unwrap();
    settled(js::record_result(
        outer,
        run(),
        &eval("{ values: 'outer' }"),
    ))
    .await
    .unwrap();
    let stored = settled(js::get_result(inner, run())).await.unwrap();
    assert_eq!(text(&stored), r#"{"values":"inner"}"#);
}

#[wasm_bindgen_test]
fn a_mark_counts_only_as_an_own_property_of_this_version() {
    let key = js::mark_key();
    let mark = js::new_mark(eval("{ root: 'run-1', turn: 0, message: null }")).unwrap();
    let read = |kwargs: &JsValue| js::read_mark(kwargs).unwrap();
    let own = Object::new();
    Reflect::set(&own, &key.clone().into(), &mark).unwrap();
    assert_eq!(
        text(&read(&own)),
        r#"{"v":1,"root":"run-1","turn":0,"message":null}"#
    );
    assert!(read(&Object::create(&own)).is_null());
    for source in ["null", "undefined", "5", "{}", "[]"] {
        assert!(read(&eval(source)).is_null(), "{source}");
    }
    for stored in [
        "{}",
        "{ v: 2, root: 'r', turn: 0 }",
        "{ v: 1, root: '', turn: 0 }",
        "'x'",
        "{ v: 1, root: 'r', turn: -1 }",
        "{ v: 1, root: 'r', turn: 0.5 }",
        "{ v: 1, root: 5, turn: 0 }",
    ] {
        let kwargs = Object::new();
        Reflect::set(&kwargs, &key.clone().into(), &eval(stored)).unwrap();
        assert!(read(&kwargs).is_null(), "{stored}");
    }
    let getter = Array::of1(&JsValue::from_str(&key));
    let kwargs = Function::new_with_args(
        "key",
        "return { get [key[0]]() { throw new Error('read') } }",
    );
    assert!(read(&kwargs.call1(&JsValue::NULL, &getter).unwrap()).is_null());
}

#[wasm_bindgen_test]
fn a_bad_mark_is_refused() {
    for source in [
        "undefined",
        "{}",
        "{ root: '', turn: 0 }",
        "{ root: 'r', turn: -1 }",
        "{ root: 'r', turn: 0, message: {} }",
    ] {
        assert_eq!(
            code(&js::new_mark(eval(source)).unwrap_err()),
            "invalid_mark",
            "{source}"
        );
    }
}

/// A settle of a marked run whose host calls are written to `calls`.
fn settling(support: &str, calls: &str) -> js::Settling {
    eval(&format!(
        "({{
            runId: 'run-1', marking: 'marked', support: '{support}', phase: 'open', log: [],
            settleRun(status, result) {{ this.log.push(['settle', status, result]); return ({calls}).settle?.(status); }},
            recordResult(result) {{ this.log.push(['record', result]); return ({calls}).record?.(); }},
            writeStatus(status) {{ this.log.push(['status', status]); return ({calls}).status?.(status); }},
        }})"
    ))
    .unchecked_into()
}

#[wasm_bindgen_test]
async fn a_run_settles_once_and_re_entry_answers_the_status_that_stands() {
    let one = settling(
        "one-write",
        "{ settle: (status) => Promise.resolve({ status, won: true }) }",
    );
    let first = settled(js::settle_attempt(
        one.clone(),
        &"finished".into(),
        &"success".into(),
        7.into(),
    ))
    .await;
    assert_eq!(first.unwrap(), "success");
    let again = settled(js::settle_attempt(
        one.clone(),
        &"stopped".into(),
        &"error".into(),
        JsValue::UNDEFINED,
    ))
    .await;
    assert_eq!(again.unwrap(), "success");
    assert_eq!(text(&field(&one, "log")), r#"[["settle","success",7]]"#);
}

#[wasm_bindgen_test]
async fn two_steps_record_first_and_a_failed_capture_ends_as_an_error() {
    let two = settling("two-steps", "{}");
    settled(js::settle_attempt(
        two.clone(),
        &"finished".into(),
        &"success".into(),
        7.into(),
    ))
    .await
    .unwrap();
    assert_eq!(
        text(&field(&two, "log")),
        r#"[["record",7],["status","success"]]"#
    );

    let failing = settling(
        "two-steps",
        "{ record: () => { throw new Error('cannot') } }",
    );
    let failed = settled(js::settle_attempt(
        failing.clone(),
        &"finished".into(),
        &"success".into(),
        7.into(),
    ))
    .await;
    assert_eq!(code(&failed.unwrap_err()), "capture_failed");
    let ended = settled(js::settle_attempt(
        failing.clone(),
        &"stopped".into(),
        &"error".into(),
        JsValue::UNDEFINED,
    ))
    .await;
    assert_eq!(ended.unwrap(), "error");
    assert_eq!(
        text(&field(&failing, "log")),
        r#"[["record",7],["status","error"]]"#
    );
}

#[wasm_bindgen_test]
async fn a_status_write_that_fails_throws_what_the_host_threw() {
    let host = settling(
        "two-steps",
        "{ status: () => { throw new RangeError('row gone') } }",
    );
    let raised = settled(js::settle_attempt(
        host.clone(),
        &"stopped".into(),
        &"error".into(),
        JsValue::UNDEFINED,
    ))
    .await;
    assert!(raised.unwrap_err().is_instance_of::<js_sys::RangeError>());
    assert_eq!(field(&host, "phase"), "open");
}

#[wasm_bindgen_test]
fn an_end_that_makes_no_sense_is_refused() {
    for (end, status) in [
        ("finished", "error"),
        ("stopped", "success"),
        ("stopped", "running"),
        ("", "x"),
    ] {
        let host = settling("one-write", "{}");
        let refused =
            js::settle_attempt(host, &end.into(), &status.into(), JsValue::UNDEFINED).unwrap_err();
        assert_eq!(code(&refused), "invalid_argument");
    }
}

fn merge(results: &str) -> Result<Array, JsValue> {
    js::merge_results(&JsValue::UNDEFINED, &eval(results), None)
}

#[wasm_bindgen_test]
fn a_snapshot_without_entries_attaches_nothing() {
    for none in ["undefined", "null", "[]", "{}"] {
        assert_eq!(merge(none).unwrap().length(), 0, "{none}");
    }
}

#[wasm_bindgen_test]
fn the_first_well_formed_entry_of_a_known_run_is_attached() {
    let knows = Function::new_with_args("id", "return id !== 'nobody'");
    let entries = eval(
        "[['a', { values: 1, more: 2 }], ['nobody', { values: 2 }], ['a', { values: 3 }], ['b', { values: null }]]",
    );
    let attached =
        js::merge_results(&JsValue::UNDEFINED, &entries, Some(knows.unchecked_into())).unwrap();
    assert_eq!(
        text(&attached),
        r#"[["a",{"values":"1","interrupts":null,"reply":null,"checkpoint":null}],["b",{"values":"null","interrupts":null,"reply":null,"checkpoint":null}]]"#
    );
}

#[wasm_bindgen_test]
fn a_malformed_entry_refuses_the_import_by_its_place() {
    for (entries, place) in [
        ("[['a', { values: 1 }], null]", "1"),
        ("[['a']]", "0"),
        ("[[5, { values: 1 }]]", "0"),
        ("[['a', {}]]", "0"),
        ("[['a', null]]", "0"),
        ("[['a', { values: 5n }]]", "0"),
        (
            "(() => { let v = []; for (let i = 0; i < 5000; i++) v = [v]; return [['a', { values: v }]]; })()",
            "0",
        ),
    ] {
        let thrown = merge(entries).unwrap_err();
        assert_eq!(code(&thrown), "invalid_snapshot", "{entries}");
        assert_eq!(
            field(&field(&thrown, "details"), "entry")
                .as_string()
                .unwrap(),
            place
        );
    }
    for other in ["5", "'text'", "{ a: 1 }", "true"] {
        assert_eq!(
            code(&merge(other).unwrap_err()),
            "invalid_snapshot",
            "{other}"
        );
    }
}

#[wasm_bindgen_test]
fn a_snapshot_of_another_version_is_refused() {
    let none = JsValue::UNDEFINED;
    for version in ["'99'", "2", "{}"] {
        let refused = js::merge_results(&eval(version), &none, None).unwrap_err();
        assert_eq!(code(&refused), "invalid_snapshot", "{version}");
    }
    for version in ["1", "'1'", "undefined", "null"] {
        assert!(
            js::merge_results(&eval(version), &none, None).is_ok(),
            "{version}"
        );
    }
}

#[wasm_bindgen_test]
fn a_copied_checkpoint_moves_to_the_copy_and_keeps_all_else_to_the_letter() {
    let copied = |text: &str| {
        js::copied_checkpoint(&JsString::from(text), &"t1".into(), &"t2".into())
            .unwrap()
            .as_string()
            .unwrap()
    };
    assert_eq!(
        copied(
            r#"{"thread_id":"t1","checkpoint_ns":"","checkpoint_id":"c","checkpoint_map":{"":"t1"}}"#
        ),
        r#"{"thread_id":"t2","checkpoint_ns":"","checkpoint_id":"c","checkpoint_map":{"":"t1"}}"#
    );
    for kept in [
        r#"{"thread_id":"t3"}"#,
        "null",
        "\"t1\"",
        "[\"t1\"]",
        r#"{"a\ud800":1e21,"__proto__":{"thread_id":"t1"}}"#,
    ] {
        assert_eq!(copied(kept), kept);
    }
}

#[wasm_bindgen_test]
fn the_browsers_storage_is_refused_where_there_is_no_window() {
    for kind in ["local", "session"] {
        let refused = js::browser_check(kind).unwrap_err();
        assert_eq!(code(&refused), "storage_unavailable");
        let run = JsString::from("a");
        assert_eq!(
            code(&js::browser_read(kind, "p", &run).unwrap_err()),
            "storage_unavailable"
        );
    }
}
