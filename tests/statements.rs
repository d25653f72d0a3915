//! The text of every statement that the SQL drivers send, kept beside this file: what a change of a rule
//! does to a database is read there. `UPDATE_EXPECT=1 cargo test --test statements` writes it anew.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use expect_test::expect_file;
use skein_results::sql::result::{Dialect, RunTable, statements};
use skein_results::sql::task::{
    Members, Statement, TaskFilter, cancel_paused, lock_paused, pass_over, resumable, task_count,
    task_lineage, task_page,
};
use skein_results::task::view::TaskState;

#[test]
fn the_statements_for_sqlite() {
    expect_file!["statements/sqlite.sql"].assert_eq(&all(Dialect::Sqlite));
}

#[test]
fn the_statements_for_postgres() {
    expect_file!["statements/postgres.sql"].assert_eq(&all(Dialect::Postgres));
}

fn all(dialect: Dialect) -> String {
    let table = RunTable::default();
    let of_results = statements(dialect, &table);
    let mut sections = vec![
        section("record", &of_results.record),
        section("read", &of_results.read),
        section("settle", &of_results.settle),
        section("cancel", &of_results.cancel),
        section("start", &of_results.start),
        section("status", &of_results.status),
        section("readMany", &of_results.read_many),
        section("attachMany", &of_results.attach_many),
        section("checkpoints of a copy", &of_results.checkpoints),
        section("copyMany", &of_results.copy_many),
    ];
    sections.extend(
        of_results
            .lock_many
            .map(|text| section("locks before attachMany", &text)),
    );
    let of_paused = [
        ("cancelPaused", Some(cancel_paused(dialect, &table))),
        ("passOver", Some(pass_over(dialect, &table))),
        (
            "locks before a paused run is judged",
            lock_paused(dialect, &table),
        ),
        ("admitResume", Some(resumable(dialect, &table))),
    ];
    for (title, statement) in of_paused {
        sections.extend(statement.map(|statement| bound(title, &statement)));
    }
    for (title, filter) in filters() {
        let page = task_page(dialect, &table, filter);
        sections.push(bound(&format!("page of tasks, {title}"), &page));
    }
    let every = every_filter();
    sections.push(bound("count of tasks", &task_count(dialect, &table, every)));
    let one = TaskFilter {
        task: true,
        ..TaskFilter::default()
    };
    for (title, metadata) in [("one task", false), ("one task of a caller", true)] {
        let filter = TaskFilter { metadata, ..one };
        sections.push(bound(title, &task_lineage(dialect, &table, filter)));
    }
    sections.join("\n")
}

fn filters() -> Vec<(String, TaskFilter)> {
    let mut filters = vec![
        ("all".to_owned(), TaskFilter::default()),
        ("with every restriction".to_owned(), every_filter()),
    ];
    for state in TaskState::ALL {
        let filter = TaskFilter {
            state: Some(state),
            ..TaskFilter::default()
        };
        filters.push((format!("{state:?}"), filter));
    }
    filters
}

fn every_filter() -> TaskFilter {
    TaskFilter {
        task: false,
        thread: true,
        metadata: true,
        state: None,
        since: true,
        after: true,
        members: Members::Answers,
    }
}

fn section(title: &str, text: &str) -> String {
    format!("-- {title}\n{text};\n")
}

fn bound(title: &str, Statement { text, parameters }: &Statement) -> String {
    section(&format!("{title} ({})", parameters.join(", ")), text)
}
