//! The browser's own store in a real browser, run by `wasm-pack test --headless --chrome`.

#![cfg(all(target_arch = "wasm32", feature = "browser-tests"))]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects
)]

use js_sys::{Function, JSON, JsString, Reflect};
use skein_results::js;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const KINDS: [&str; 2] = ["local", "session"];
const PREFIX: &str = "tests";

fn eval(source: &str) -> JsValue {
    Function::new_no_args(&format!("return ({source})"))
        .call0(&JsValue::NULL)
        .unwrap()
}

fn run_js(source: &str) -> JsValue {
    Function::new_no_args(source).call0(&JsValue::NULL).unwrap()
}

fn text(value: &JsValue) -> String {
    JSON::stringify(value).map(String::from).unwrap_or_default()
}

fn code(thrown: &JsValue) -> String {
    Reflect::get(thrown, &"code".into())
        .unwrap()
        .as_string()
        .unwrap()
}

fn create(kind: &str, run: &str, status: &str) {
    let row = eval(&format!(
        "{{ status: '{status}', updatedAt: '2026-01-01T00:00:00.000Z', thread: 't', row: '{{}}', stamp: 's' }}"
    ));
    js::browser_create(kind, PREFIX, &JsString::from(run), row).unwrap();
}

fn record(kind: &str, run: &str, values: &str) -> Result<(), JsValue> {
    let texts = eval(&format!(
        "{{ values: {values}, interrupts: null, reply: null, checkpoint: null }}"
    ));
    js::browser_record(kind, PREFIX, &JsString::from(run), texts, "s")
}

fn values(kind: &str, run: &str) -> Option<String> {
    let texts = js::browser_read(kind, PREFIX, &JsString::from(run)).unwrap();
    if texts.is_null() {
        None
    } else {
        Reflect::get(&texts, &"values".into()).unwrap().as_string()
    }
}

fn settle(kind: &str, run: &str, ending: &str) -> Result<JsValue, JsValue> {
    js::browser_settle(kind, PREFIX, &JsString::from(run), eval(ending))
}

/// Every key and text of the storage, to be compared.
fn contents(kind: &str) -> String {
    text(&run_js(&format!(
        "return Object.fromEntries(Object.entries({kind}Storage).sort())"
    )))
}

fn clear(kind: &str) {
    run_js(&format!("{kind}Storage.clear()"));
}

#[wasm_bindgen_test]
fn the_first_result_stays_and_an_unknown_run_takes_none() {
    for kind in KINDS {
        clear(kind);
        create(kind, "a", "running");
        record(kind, "a", "'1'").unwrap();
        record(kind, "a", "'2'").unwrap();
        record(kind, "nobody", "'3'").unwrap();
        assert_eq!(values(kind, "a").as_deref(), Some("1"));
        assert_eq!(values(kind, "nobody"), None);
        assert_eq!(js::browser_runs(kind, PREFIX).unwrap().length(), 1);
    }
}

#[wasm_bindgen_test]
fn status_and_result_are_one_write_and_the_first_end_stays() {
    for kind in KINDS {
        clear(kind);
        create(kind, "a", "running");
        let result = "{ values: '1', interrupts: null, reply: null, checkpoint: null }";
        let won = settle(
            kind,
            "a",
            &format!("{{ status: 'success', at: 'x', stamp: 's', result: {result} }}"),
        );
        assert_eq!(text(&won.unwrap()), r#"{"status":"success","won":true}"#);
        let lost = settle(kind, "a", "{ status: 'cancelled', at: 'x', stamp: 's' }").unwrap();
        assert_eq!(text(&lost), r#"{"status":"success","won":false}"#);
        assert_eq!(values(kind, "a").as_deref(), Some("1"));
        assert!(
            settle(kind, "nobody", "{ status: 'error', at: 'x', stamp: 's' }")
                .unwrap()
                .is_null()
        );

        create(kind, "b", "running");
        settle(kind, "b", "{ status: 'cancelled', at: 'x', stamp: 's' }").unwrap();
        let late = settle(
            kind,
            "b",
            &format!("{{ status: 'success', at: 'x', stamp: 's', result: {result} }}"),
        );
        assert_eq!(
            text(&late.unwrap()),
            r#"{"status":"cancelled","won":false}"#
        );
        assert_eq!(values(kind, "b"), None);
    }
}

#[wasm_bindgen_test]
fn deleting_a_run_erases_its_result_and_a_new_one_starts_empty() {
    for kind in KINDS {
        clear(kind);
        create(kind, "a", "running");
        record(kind, "a", "'1'").unwrap();
        js::browser_delete(kind, PREFIX, &JsString::from("a")).unwrap();
        record(kind, "a", "'late'").unwrap();
        create(kind, "a", "running");
        assert_eq!(values(kind, "a"), None);
        record(kind, "a", "'2'").unwrap();
        create(kind, "a", "running");
        assert_eq!(values(kind, "a"), None);
    }
}

#[wasm_bindgen_test]
fn a_row_shows_no_result() {
    clear("local");
    create("local", "a", "running");
    record("local", "a", "'\"canary\"'").unwrap();
    let row = js::browser_row("local", PREFIX, &JsString::from("a")).unwrap();
    assert!(!text(&row).contains("canary"));
    assert!(text(&row).contains("running"));
}

#[wasm_bindgen_test]
fn a_full_storage_is_a_typed_failure_that_leaves_everything_as_it_was() {
    for kind in KINDS {
        clear(kind);
        create(kind, "kept", "success");
        record(kind, "kept", "'\"earlier\"'").unwrap();
        create(kind, "full", "running");
        // Filled for real, down to the last kilobyte.
        run_js(&format!(
            "let chunk = 'x'.repeat(1 << 20);
             for (let i = 0; chunk.length > 1000; i++) {{
                 try {{ {kind}Storage.setItem('filler-' + i, chunk); }}
                 catch {{ chunk = chunk.slice(chunk.length / 2); }}
             }}"
        ));
        let before = contents(kind);
        let big = "'\"' + 'y'.repeat(2 << 20) + '\"'";
        assert_eq!(
            code(&record(kind, "full", big).unwrap_err()),
            "storage_full"
        );
        let ending = format!(
            "{{ status: 'success', at: 'x', stamp: 's', result: {{ values: {big}, interrupts: null, reply: null, checkpoint: null }} }}"
        );
        let refused = settle(kind, "full", &ending).unwrap_err();
        assert_eq!(code(&refused), "storage_full");
        let cause = Reflect::get(&refused, &"cause".into()).unwrap();
        assert_eq!(
            Reflect::get(&cause, &"name".into()).unwrap(),
            "QuotaExceededError"
        );
        assert!(contents(kind) == before);
        assert_eq!(values(kind, "kept").as_deref(), Some("\"earlier\""));
        assert_eq!(values(kind, "full"), None);
        clear(kind);
    }
}

#[wasm_bindgen_test]
fn a_failure_of_any_write_leaves_everything_as_it_was() {
    for failing in 1..=6 {
        clear("local");
        create("local", "before", "running");
        record("local", "before", "'1'").unwrap();
        run_js(&format!(
            "globalThis.realSetItem = Storage.prototype.setItem;
             let calls = 0;
             Storage.prototype.setItem = function (key, value) {{
                 calls += 1;
                 if (calls === {failing}) throw new DOMException('full', 'QuotaExceededError');
                 return realSetItem.call(this, key, value);
             }};"
        ));
        let mut failures = 0;
        let mut states = vec![contents("local")];
        let mut step = |outcome: Result<(), JsValue>| {
            let now = contents("local");
            if let Err(thrown) = outcome {
                assert_eq!(code(&thrown), "storage_full");
                assert!(Some(&now) == states.last(), "a failed write left something");
                failures += 1;
            }
            states.push(now);
        };
        for run in ["a", "b"] {
            let row =
                eval("{ status: 'running', updatedAt: 'x', thread: 't', row: '{}', stamp: 's' }");
            step(js::browser_create(
                "local",
                PREFIX,
                &JsString::from(run),
                row,
            ));
            step(record("local", run, "'2'"));
            step(
                settle("local", run, "{ status: 'success', at: 'x', stamp: 's' }").map(|_ended| ()),
            );
        }
        run_js("Storage.prototype.setItem = realSetItem");
        assert_eq!(failures, 1, "the write {failing} of six fails");
        assert_eq!(values("local", "before").as_deref(), Some("1"));
    }
}

#[wasm_bindgen_test]
fn foreign_and_corrupt_keys_are_left_alone_and_hide_no_other() {
    clear("local");
    create("local", "good", "success");
    record("local", "good", "'1'").unwrap();
    create("local", "bad", "success");
    record("local", "bad", "'2'").unwrap();
    run_js(
        "localStorage.setItem('foreign', '{not json');
         const own = Object.keys(localStorage).find((key) => key.endsWith('/bad'));
         const whole = localStorage.getItem(own);
         for (const [name, text] of Object.entries({ half: whole.slice(0, whole.length / 2), nothing: 'null', list: '[1]', empty: '' }))
             localStorage.setItem(own.slice(0, -3) + name, text);",
    );
    let before = contents("local");
    for broken in ["half", "nothing", "list", "empty"] {
        let run = JsString::from(broken);
        assert_eq!(
            code(&js::browser_read("local", PREFIX, &run).unwrap_err()),
            "corrupt_result"
        );
        assert_eq!(
            code(&record("local", broken, "'3'").unwrap_err()),
            "corrupt_result"
        );
        assert_eq!(
            code(&settle("local", broken, "{ status: 'error', at: 'x', stamp: 's' }").unwrap_err()),
            "corrupt_result"
        );
    }
    assert_eq!(values("local", "good").as_deref(), Some("1"));
    assert_eq!(values("local", "bad").as_deref(), Some("2"));
    assert_eq!(js::browser_runs("local", PREFIX).unwrap().length(), 6);
    assert!(
        contents("local") == before,
        "nothing was changed by looking at it"
    );
    js::browser_delete("local", PREFIX, &JsString::from("half")).unwrap();
    assert_eq!(values("local", "half"), None);
}

#[wasm_bindgen_test]
fn texts_come_back_to_the_letter() {
    clear("local");
    for (index, values_text) in [
        r#"{"a\\ud800":"\\ud83d😀","n":1e400,"z":-0}"#,
        r#""\\u0000 \\\\ \\" \u2028""#,
    ]
    .iter()
    .enumerate()
    {
        let run = format!("run-{index}");
        create("local", &run, "running");
        record("local", &run, &format!("`{values_text}`")).unwrap();
        let expected = eval(&format!("`{values_text}`")).as_string();
        assert_eq!(values("local", &run), expected);
    }
}

#[wasm_bindgen_test]
fn storage_that_cannot_be_used_is_refused_with_a_clear_error() {
    run_js(
        "globalThis.realStorage = Object.getOwnPropertyDescriptor(Window.prototype, 'localStorage')
             ?? Object.getOwnPropertyDescriptor(window, 'localStorage');
         Object.defineProperty(window, 'localStorage', {
             configurable: true,
             get() { throw new DOMException('denied', 'SecurityError'); },
         });",
    );
    let refused = js::browser_check("local").unwrap_err();
    run_js("Object.defineProperty(window, 'localStorage', realStorage)");
    assert_eq!(code(&refused), "storage_unavailable");
    assert!(js::browser_check("local").is_ok());
    assert_eq!(
        code(&js::browser_check("cookie").unwrap_err()),
        "invalid_argument"
    );
}

#[wasm_bindgen_test]
fn ids_that_are_no_whole_text_are_refused_and_odd_ones_stay_apart() {
    clear("local");
    let half: JsString = eval("'a\\ud800'").unchecked_into();
    assert!(js::browser_read("local", PREFIX, &half).unwrap().is_null());
    let row = eval("{ status: 'running', updatedAt: 'x', thread: 't', row: '{}', stamp: 's' }");
    assert_eq!(
        code(&js::browser_create("local", PREFIX, &half, row).unwrap_err()),
        "invalid_argument"
    );
    for run in ["a\0b", "a\0c", "r'--", "😀", "", "a/b", "a"] {
        create("local", run, "running");
        record("local", run, &format!("{run:?}.length + ''")).unwrap();
    }
    assert_eq!(js::browser_runs("local", PREFIX).unwrap().length(), 7);
    assert!(values("local", "a").is_some());
}
