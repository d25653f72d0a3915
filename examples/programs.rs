//! Random programs over the primitives of a driver, with the answers of the reference store: real
//! drivers are to give the same. `programs <seed> <count> <steps>` prints one program a line, as JSON.

#![allow(missing_docs, clippy::arithmetic_side_effects)]

use fastrand::Rng;
use serde_json::{Value, json};
use skein_results::reference::{Lineage, ReferenceStore, Row};
use skein_results::result::copy::{Coordinate, coordinate};
use skein_results::run::{RunStatus, StatusOutcome};

/// Runs and threads by their numbers; the driver's ids are made of them.
type Id = u32;

const RUNS: Id = 6;
const THREADS: [Id; 2] = [100, 101];

const TERMINAL: [RunStatus; 5] = [
    RunStatus::Success,
    RunStatus::Error,
    RunStatus::Timeout,
    RunStatus::Interrupted,
    RunStatus::Cancelled,
];

/// A result: its values, and what of it can be resumed from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Text {
    values: u32,
    /// The thread of its checkpoint.
    checkpoint: Option<Id>,
    asks: bool,
}

impl Text {
    const fn can_resume(&self) -> bool {
        self.asks || self.checkpoint.is_some()
    }

    fn json(&self) -> Value {
        json!({ "values": self.values, "checkpoint": self.checkpoint, "asks": self.asks })
    }

    fn copied(&self, source: Id, target: Id) -> Self {
        let [from, to] = [source.to_string(), target.to_string()];
        let current = self.checkpoint.map(|thread| thread.to_string());
        match coordinate(current.as_deref(), &from, &to) {
            Coordinate::Keep => *self,
            Coordinate::Move(_) => Self {
                checkpoint: Some(target),
                ..*self
            },
        }
    }
}

struct Writer {
    random: Rng,
    store: ReferenceStore<Id, Text>,
    /// Turns differ, as a host makes them.
    turns: u32,
    texts: u32,
    steps: Vec<Value>,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let mut number = |default: u64| match arguments.next() {
        Some(Ok(number)) => number,
        _ => default,
    };
    let [seed, count, steps] = [number(1), number(10), number(40)];
    for place in 0..count {
        println!("{}", program(seed.wrapping_add(place), steps));
    }
}

fn program(seed: u64, steps: u64) -> Value {
    let mut writer = Writer {
        random: Rng::with_seed(seed),
        store: ReferenceStore::default(),
        turns: 0,
        texts: 0,
        steps: Vec::new(),
    };
    for run in 0..3 {
        writer.create(run);
    }
    for _ in 0..steps {
        writer.step();
    }
    json!({ "seed": seed, "steps": writer.steps, "rows": writer.rows() })
}

impl Writer {
    fn step(&mut self) {
        let run = self.random.u32(0..RUNS);
        match self.random.u32(0..34) {
            0..5 => self.create(run),
            5 => self.delete(run),
            6 if self.random.u32(0..4) == 0 => self.delete_thread(),
            6..9 => self.set_status(run),
            9..12 => {
                let answer = self
                    .store
                    .start(&run)
                    .map(|started| self.started(run, started));
                self.write(json!({ "op": "start", "run": run, "answer": answer }));
            }
            12..15 => {
                let text = self.text(run);
                self.store.record(&run, text);
                self.write(
                    json!({ "op": "record", "run": run, "text": text.json(), "answer": null }),
                );
            }
            15..20 => self.settle(run),
            20..22 => {
                let answer = self.store.cancel(&run).map(ended);
                self.write(json!({ "op": "cancel", "run": run, "answer": answer }));
            }
            22 => self.read_many(),
            23 => self.attach_many(),
            24..26 => self.copy_many(),
            26..28 => {
                let answer = self.store.cancel_paused(&run, Text::can_resume).map(ended);
                self.write(json!({ "op": "cancelPaused", "run": run, "answer": answer }));
            }
            28 => {
                self.store.pass_over(&run, Text::can_resume);
                self.write(json!({ "op": "passOver", "run": run, "answer": null }));
            }
            29..31 => self.admit_resume(run),
            _ => self.task(run),
        }
        let answer = self.store.read(&run).map(Text::json);
        self.write(json!({ "op": "read", "run": run, "answer": answer }));
    }

    fn write(&mut self, step: Value) {
        self.steps.push(step);
    }

    fn create(&mut self, run: Id) {
        if self.store.row(&run).is_some() {
            return;
        }
        let thread = self.thread();
        let lineage = self.lineage(run);
        let status = match self.random.u32(0..4) {
            0 => RunStatus::Running,
            _ => RunStatus::Pending,
        };
        self.store.create(run, Row::new(thread, lineage, status));
        self.write(json!({
            "op": "create", "run": run, "thread": thread, "status": status.as_str(),
            "lineage": lineage.map(lineage_json), "answer": null,
        }));
    }

    fn lineage(&mut self, run: Id) -> Option<Lineage<Id>> {
        match self.random.u32(0..4) {
            0 => None,
            1 | 2 => Some(Lineage { root: run, turn: 0 }),
            _ => {
                self.turns += 1;
                let root = (run + 1 + self.random.u32(0..RUNS - 1)) % RUNS;
                Some(Lineage {
                    root,
                    turn: self.turns,
                })
            }
        }
    }

    fn delete(&mut self, run: Id) {
        self.store.delete(&run);
        self.write(json!({ "op": "delete", "run": run, "answer": null }));
    }

    fn delete_thread(&mut self) {
        let thread = self.thread();
        self.store.delete_thread(&thread);
        self.write(json!({ "op": "deleteThread", "thread": thread, "answer": null }));
    }

    /// A host refuses the status write of an unknown run.
    fn set_status(&mut self, run: Id) {
        if self.store.row(&run).is_none() {
            return;
        }
        let place = self.random.usize(0..RunStatus::ALL.len());
        let Some(status) = RunStatus::ALL.get(place) else {
            return;
        };
        self.store.set_status(&run, *status);
        self.write(
            json!({ "op": "setStatus", "run": run, "status": status.as_str(), "answer": null }),
        );
    }

    fn settle(&mut self, run: Id) {
        let place = self.random.usize(0..TERMINAL.len());
        let status = TERMINAL.get(place).copied().unwrap_or(RunStatus::Success);
        let text = (self.random.u32(0..3) > 0).then(|| self.text(run));
        let answer = self.store.settle(&run, status, text).map(ended);
        self.write(json!({
            "op": "settle", "run": run, "status": status.as_str(),
            "text": text.map(|text| text.json()), "answer": answer,
        }));
    }

    fn read_many(&mut self) {
        let runs = self.some_runs();
        let read = self.store.read_many(&runs);
        let answer: Vec<Value> = read
            .iter()
            .map(|(run, text)| json!([run, text.json()]))
            .collect();
        self.write(json!({ "op": "readMany", "runs": runs, "answer": answer }));
    }

    fn attach_many(&mut self) {
        let entries: Vec<(Id, Text)> = self
            .some_runs()
            .into_iter()
            .map(|run| (run, self.text(run)))
            .collect();
        let told: Vec<Value> = entries
            .iter()
            .map(|(run, text)| json!([run, text.json()]))
            .collect();
        self.store.attach_many(entries);
        self.write(json!({ "op": "attachMany", "entries": told, "answer": null }));
    }

    /// No run is both copied and a copy, as in a copied thread.
    fn copy_many(&mut self) {
        let runs = self.some_runs();
        let copies: Vec<(Id, Id)> = runs
            .chunks_exact(2)
            .filter_map(|pair| Some((*pair.first()?, *pair.last()?)))
            .collect();
        let [source, target] = THREADS;
        self.store
            .copy_many(&copies, |text| text.copied(source, target));
        self.write(json!({
            "op": "copyMany", "from": source, "to": target, "copies": copies, "answer": null,
        }));
    }

    fn admit_resume(&mut self, paused: Id) {
        let absent = (0..RUNS).find(|run| self.store.row(run).is_none());
        let (Some(run), Some(row)) = (absent, self.store.row(&paused).cloned()) else {
            return;
        };
        self.turns += 1;
        let lineage = row.lineage.map(|lineage| Lineage {
            root: lineage.root,
            turn: self.turns,
        });
        let created = Row::new(row.thread, lineage, RunStatus::Pending);
        let answer = self.store.admit_resume(&paused, run, created);
        self.write(json!({
            "op": "admitResume", "paused": paused, "run": run, "thread": row.thread,
            "lineage": lineage.map(lineage_json), "answer": answer,
        }));
    }

    fn task(&mut self, task: Id) {
        let last = self.store.last_of_task(&task).copied();
        let answer = last.and_then(|run| {
            let status = self.store.row(&run)?.status;
            let moved_on = status == RunStatus::Interrupted && self.store.has_moved_on(&run);
            Some(json!({ "run": run, "status": status.as_str(), "movedOn": moved_on }))
        });
        self.write(json!({ "op": "task", "task": task, "answer": answer }));
    }

    fn started(&self, run: Id, started: StatusOutcome) -> Value {
        let status = self.store.row(&run).map_or("", |row| row.status.as_str());
        json!({ "status": status, "won": started == StatusOutcome::Won(RunStatus::Running) })
    }

    fn text(&mut self, run: Id) -> Text {
        self.texts += 1;
        let own = self.store.row(&run).map(|row| row.thread);
        let checkpoint = match self.random.u32(0..4) {
            0 => None,
            1 => Some(self.thread()),
            _ => own,
        };
        Text {
            values: self.texts,
            checkpoint,
            asks: self.random.bool(),
        }
    }

    fn thread(&mut self) -> Id {
        let [one, other] = THREADS;
        if self.random.bool() { one } else { other }
    }

    fn some_runs(&mut self) -> Vec<Id> {
        let mut runs: Vec<Id> = (0..RUNS).collect();
        self.random.shuffle(&mut runs);
        runs.truncate(self.random.usize(1..=runs.len()));
        runs
    }

    fn rows(&self) -> Vec<Value> {
        let json = |(run, row): (&Id, &Row<Id, Text>)| {
            json!({
                "run": run, "thread": row.thread, "status": row.status.as_str(),
                "text": row.result.map(|text| text.json()),
            })
        };
        self.store.rows().map(json).collect()
    }
}

fn lineage_json(lineage: Lineage<Id>) -> Value {
    json!({ "root": lineage.root, "turn": lineage.turn })
}

fn ended(ended: StatusOutcome) -> Value {
    json!({ "status": ended.effective().as_str(), "won": matches!(ended, StatusOutcome::Won(_)) })
}
