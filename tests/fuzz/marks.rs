//! Marks: only what is one is read as one, and none leads into another's lineage (contract 4, 7 and 9).

use std::collections::BTreeMap;

use bolero::{Driver, ValueGenerator};
use serde_json::Value;
use skein_results::error::ErrorCode;
use skein_results::task::lineage::{Root, copied_mark, imported_mark_stands};
use skein_results::task::mark::Mark;

use crate::json::{Json, count, optional_text, text};
use crate::near::{Expected, IDS, Near, one_in, one_of};
use crate::target::fuzz;

const GIVEN: Expected = Expected::Object(&[
    ("v", Expected::Version),
    ("root", Expected::Text),
    ("turn", Expected::Count),
    ("message", Expected::Text),
    ("context", Expected::Text),
]);

/// Of ids that meet.
const STORED: Expected = Expected::Object(&[
    ("v", Expected::Version),
    ("root", Expected::Id),
    ("turn", Expected::Count),
    ("message", Expected::Text),
    ("context", Expected::Text),
]);

/// The mark that an oracle finds in a value.
fn mark_in(value: &Value, version: u32) -> Option<Mark> {
    Some(Mark {
        v: version,
        root: text(value, "root")
            .filter(|root| !root.is_empty())?
            .to_owned(),
        turn: count(value, "turn")?,
        message: optional_text(value, "message")?.map(str::to_owned),
        context: optional_text(value, "context")?.map(str::to_owned),
    })
}

fn written(mark: &Mark) -> Json {
    Json(serde_json::to_value(mark).unwrap())
}

#[test]
fn a_stored_mark() {
    fuzz(
        "a_stored_mark",
        Near(GIVEN),
        &["no JSON", "a mark", "none"],
        |text, seen| {
            let Some(json) = Json::parse(text) else {
                return seen.note("no JSON");
            };
            let read = Mark::of_stored(&json.fields());
            let version = count(&json.0, "v").filter(|version| *version == 1);
            assert_eq!(read, version.and_then(|version| mark_in(&json.0, version)));
            match read {
                None => seen.note("none"),
                Some(mark) => {
                    seen.note("a mark");
                    let again = Mark::of_stored(&written(&mark).fields());
                    assert_eq!(again.as_ref(), Some(&mark));
                    assert_eq!(again.map(|mark| written(&mark)), Some(written(&mark)));
                }
            }
        },
    );
}

#[test]
fn a_new_mark() {
    fuzz(
        "a_new_mark",
        Near(GIVEN),
        &["no JSON", "a mark", "refused"],
        |text, seen| {
            let Some(json) = Json::parse(text) else {
                return seen.note("no JSON");
            };
            match Mark::of_given(&json.fields()) {
                Ok(mark) => {
                    seen.note("a mark");
                    assert_eq!(Some(&mark), mark_in(&json.0, 1).as_ref());
                    // What is written is read as it is, whatever version was given.
                    assert_eq!(Mark::of_stored(&written(&mark).fields()), Some(mark));
                }
                Err(error) => {
                    seen.note("refused");
                    assert_eq!(mark_in(&json.0, 1), None);
                    assert_eq!(error.code(), ErrorCode::InvalidMark);
                    let wrong = ["root", "turn", "message", "context"];
                    let is_named =
                        |name: &&str| error.message().contains(&format!(": `{name}` is"));
                    let is_empty = error
                        .message()
                        .contains(": its `root`, the task id, is empty");
                    assert!(is_empty || wrong.iter().any(is_named));
                }
            }
        },
    );
}

/// A run in a file: its thread, and the text of its mark.
#[derive(Clone, Debug)]
struct FileRun {
    thread: &'static str,
    mark: Option<String>,
}

impl FileRun {
    fn mark(&self) -> Option<Mark> {
        Mark::of_stored(&Json::parse(self.mark.as_ref()?)?.fields())
    }
}

/// A few runs with ids that meet, on two threads.
struct File;

impl ValueGenerator for File {
    type Output = BTreeMap<&'static str, FileRun>;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<Self::Output> {
        let mut runs = BTreeMap::new();
        for run in IDS {
            if one_in(driver, 4)? {
                continue;
            }
            let mark = match driver.produce::<u8>()? % 5 {
                0 => None,
                1 | 2 => Some((run, 0)),
                3 => Some((one_of(driver, &IDS)?, 1)),
                _ => Some(("", 0)),
            };
            let mark = match mark {
                Some(("", _)) => Some(Near(STORED).generate(driver)?),
                mark => mark
                    .map(|(root, turn)| format!("{{\"v\":1,\"root\":\"{root}\",\"turn\":{turn}}}")),
            };
            let thread = one_of(driver, &["s", "s", "s", "t"])?;
            runs.insert(run, FileRun { thread, mark });
        }
        Some(runs)
    }
}

type Runs = BTreeMap<String, (String, Option<Mark>)>;

/// The runs as an import leaves them: a mark that may not stand is gone.
fn imported(runs: &Runs) -> Runs {
    let stands = |run: &str, thread: &str, mark: &Mark| {
        let root = match runs.get(&mark.root) {
            None => Root::Unknown,
            Some((thread, mark)) => Root::Run {
                thread: thread.clone(),
                mark: mark.clone(),
            },
        };
        imported_mark_stands(run, thread, mark, &root)
    };
    let left = |(run, (thread, mark)): (&String, &(String, Option<Mark>))| {
        let mark = mark.clone().filter(|mark| stands(run, thread, mark));
        (run.clone(), (thread.clone(), mark))
    };
    runs.iter().map(left).collect()
}

/// The first run of a task names itself at turn 0; the others are later turns of one on their thread.
fn demand_lineages(runs: &Runs) {
    for (run, (thread, mark)) in runs {
        let Some(mark) = mark else { continue };
        let (root_thread, root_mark) = &runs[&mark.root];
        let root_mark = root_mark.as_ref().expect("a task's first run is marked");
        assert_eq!(root_thread, thread, "a lineage has one thread");
        assert_eq!((root_mark.turn, &root_mark.root), (0, &mark.root));
        assert_eq!(mark.turn == 0, mark.root == *run);
    }
}

#[test]
fn the_marks_of_a_file() {
    let sights = ["stands", "falls", "a later turn"];
    fuzz("the_marks_of_a_file", File, &sights, |file, seen| {
        let given: Runs = file
            .iter()
            .map(|(run, row)| ((*run).to_owned(), (row.thread.to_owned(), row.mark())))
            .collect();
        let left = imported(&given);
        demand_lineages(&left);
        assert_eq!(imported(&left), left, "a second import takes nothing away");
        for (run, (thread, before)) in &given {
            let (_, after) = &left[run];
            match (before, after) {
                (Some(before), Some(after)) => {
                    assert_eq!(before, after, "a mark that stands is as it was");
                    seen.note("stands");
                    if after.turn > 0 {
                        seen.note("a later turn");
                    }
                }
                (Some(mark), None) => {
                    seen.note("falls");
                    // Nothing that is a turn of a task is lost.
                    let first = mark.root == *run && mark.turn == 0;
                    let task = given.get(&mark.root).is_some_and(|(on, root)| {
                        let is_first = |root: &Mark| root.root == mark.root && root.turn == 0;
                        on == thread && root.as_ref().is_some_and(is_first)
                    });
                    let turn = task && mark.turn > 0 && mark.root != *run;
                    assert!(!(first || turn));
                }
                (None, after) => assert_eq!(after, &None, "nobody is given a mark"),
            }
        }
    });
}

#[test]
fn the_marks_of_a_copied_thread() {
    let sights = ["copied", "left behind"];
    fuzz(
        "the_marks_of_a_copied_thread",
        (File, 0_u8..16),
        &sights,
        |(file, copied), seen| {
            let given: Runs = file
                .iter()
                .map(|(run, row)| ((*run).to_owned(), (row.thread.to_owned(), row.mark())))
                .collect();
            let before = imported(&given);
            // Of the thread `s`, these runs are copied; the others are gone.
            let copy_of = |id: &str| {
                let place = IDS.iter().position(|other| *other == id)?;
                let is_copied = copied & (1 << place) != 0 && before.get(id)?.0 == "s";
                is_copied.then(|| format!("copy of {id}"))
            };
            let mut after = before.clone();
            for (run, (_, mark)) in &before {
                let Some(copy) = copy_of(run) else { continue };
                let made = mark.clone().and_then(|mark| copied_mark(mark, copy_of));
                if let Some(mark) = mark {
                    assert_eq!(made.is_some(), copy_of(&mark.root).is_some());
                    seen.note(if made.is_some() {
                        "copied"
                    } else {
                        "left behind"
                    });
                } else {
                    assert_eq!(made, None);
                }
                if let (Some(made), Some(mark)) = (&made, mark) {
                    assert_eq!(made.root, format!("copy of {}", mark.root));
                    assert_eq!((made.turn, &made.message), (mark.turn, &mark.message));
                    assert_eq!(made.context, None, "a name belongs to one thread");
                }
                after.insert(copy, ("the copy".to_owned(), made));
            }
            demand_lineages(&after);
            assert_eq!(imported(&after), after, "a copy can be imported as it is");
        },
    );
}
