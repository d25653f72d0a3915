//! The statements about tasks of the SQL drivers (contract 5 and 12).
//!
//! A task is a lineage of runs, known by the server's mark in their kwargs; it is shown by the last of
//! them. The migration `0001_task_index` has the database keep the mark's task and turn in columns of
//! their own beside the kwargs, for the indexes: JSON is parsed once, when a run is written. What else a
//! list needs is asked of the runs' own rows.

use crate::fields::{Fields, Outside, Wrong};
use crate::result::wire::Member;
use crate::run::RunStatus;
use crate::sql::result::{Dialect, RunTable, quoted};
use crate::task::view::TaskState;

/// The column that the migration adds for the task of a run's mark.
const TASK_ROOT: &str = "task_root";

/// The column that the migration adds for the turn of a run's mark.
const TASK_TURN: &str = "task_turn";

/// What a list of tasks is restricted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// One task: `task`.
    pub task: bool,
    /// The tasks of one thread: `thread`.
    pub thread: bool,
    /// Runs whose metadata contain these: `metadata`, a JSON object.
    pub metadata: bool,
    /// Tasks in this state.
    pub state: Option<TaskState>,
    /// Tasks whose status is not older than `since`.
    pub since: bool,
    /// Only what comes behind the run `afterRun` of the time `afterAt`.
    pub after: bool,
    /// Which members of the results are read.
    pub members: Members,
}

impl TaskFilter {
    /// The filter `{ given, state?, answers }`: the names of the restrictions, a state, and whether
    /// answers are read.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(filter: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        let given = filter.list("given", Outside::as_text)?;
        let has = |name: &str| given.iter().any(|other| other == name);
        Ok(Self {
            task: has("task"),
            thread: has("thread"),
            metadata: has("metadata"),
            state: filter
                .given("state")
                .map(|_| filter.named("state", TaskState::parse))
                .transpose()?,
            since: has("since"),
            after: has("after"),
            members: if filter.flag("answers")? {
                Members::Answers
            } else {
                Members::Questions
            },
        })
    }
}

/// Which members of a result a list reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Members {
    /// The questions of paused tasks only.
    #[default]
    Questions,
    /// The answers of completed tasks, too.
    Answers,
}

/// A statement, and the names of its parameters in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text.
    pub text: String,
    /// The names; SQLite binds by them, Postgres by their places.
    pub parameters: Vec<&'static str>,
}

/// The page of tasks behind a place, newest status first: `limit` rows at most.
///
/// Columns: `run, thread, status, error, at, task, turn, kwargs, movedOn` and the members of the result.
/// `kwargs` is a JSON array of the kwargs of the lineage's runs, as texts and in order.
pub fn task_page(dialect: Dialect, table: &RunTable, filter: TaskFilter) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let r = "r";
    let columns = writer.columns(r, writer.lineage_kwargs(r), filter.members);
    let conditions = writer.conditions(r, filter);
    let order = if filter.task {
        String::new()
    } else {
        format!(
            " ORDER BY {} DESC, {} DESC LIMIT {}",
            writer.column(r, &table.updated_at),
            writer.by_bytes(&writer.column(r, &table.id)),
            writer.bound("limit"),
        )
    };
    writer.statement(format!(
        "SELECT {columns} FROM {} AS r WHERE {conditions}{order}",
        quoted(&table.table)
    ))
}

/// The runs of one lineage, thread by thread and in order: `task`, and `metadata` where it is given. One
/// short statement, since a server plans it anew each time; which of the rows is the task is seen in them.
/// The order is that of the index: a sort costs Postgres more than all the rest, and SQLite would copy each
/// result once more.
///
/// Columns as those of [`task_page`], with the run's own kwargs as text, and `inScope`: 1 if its metadata
/// contain the given ones; and `place`, as text: what runs of one turn are ordered by.
pub fn task_lineage(dialect: Dialect, table: &RunTable, filter: TaskFilter) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let r = "r";
    let kwargs = writer.text(&writer.column(r, &table.kwargs));
    let columns = writer.columns(r, kwargs, filter.members);
    let scope = if filter.metadata {
        let metadata = writer.bound("metadata");
        let contains = writer.contains(&writer.column(r, &table.metadata), &metadata);
        format!("CASE WHEN {contains} THEN 1 ELSE 0 END")
    } else {
        "1".to_owned()
    };
    let text = format!(
        "SELECT {columns}, {scope} AS \"inScope\", CAST({} AS text) AS \"place\" FROM {} AS r WHERE {} = {} ORDER BY {}, {}",
        writer.column(r, &table.order),
        quoted(&table.table),
        writer.root(r),
        writer.bound("task"),
        writer.column(r, &table.thread),
        writer.turn(r),
    );
    writer.statement(text)
}

/// How many tasks there are, whatever the page: `total`.
pub fn task_count(dialect: Dialect, table: &RunTable, filter: TaskFilter) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let conditions = writer.conditions(
        "r",
        TaskFilter {
            after: false,
            ..filter
        },
    );
    writer.statement(format!(
        "SELECT count(*) AS \"total\" FROM {} AS r WHERE {conditions}",
        quoted(&table.table)
    ))
}

/// `cancelPaused`: run, at. A paused task's last run becomes `cancelled`; returns the status if it won.
pub fn cancel_paused(dialect: Dialect, table: &RunTable) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let id = format!(
        "{} = {}",
        writer.column("r", &table.id),
        writer.bound("run")
    );
    let text = format!(
        "{} RETURNING {} AS \"status\"",
        writer.cancelling(&id),
        quoted(&table.status),
    );
    writer.statement(text)
}

/// `passOver`: run, at. The paused tasks that a started run has left behind on its thread become
/// `cancelled`, but for the one whose lineage it continues.
pub fn pass_over(dialect: Dialect, table: &RunTable) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let run = writer.bound("run");
    let of_run = |column: &str| {
        format!(
            "(SELECT started.{} FROM {} AS started WHERE started.{} = {run})",
            quoted(column),
            quoted(&table.table),
            quoted(&table.id),
        )
    };
    let earlier = format!(
        "{} = {} AND {} < {}",
        writer.column("r", &table.thread),
        of_run(&table.thread),
        writer.column("r", &table.order),
        of_run(&table.order),
    );
    let text = writer.cancelling(&earlier);
    writer.statement(text)
}

/// Locks a paused run's row until the end of the transaction, where the dialect does not lock the whole
/// database: run.
pub fn lock_paused(dialect: Dialect, table: &RunTable) -> Option<Statement> {
    if dialect == Dialect::Sqlite {
        return None;
    }
    let mut writer = Writer::new(dialect, table);
    let run = writer.bound("run");
    Some(writer.statement(format!(
        "SELECT 1 AS \"locked\" FROM {} WHERE {} = {run} FOR UPDATE",
        quoted(&table.table),
        quoted(&table.id)
    )))
}

/// `admitResume`: run. A row if the run is paused, is the last of its thread, and none is in flight.
pub fn resumable(dialect: Dialect, table: &RunTable) -> Statement {
    let mut writer = Writer::new(dialect, table);
    let run = writer.bound("run");
    let in_flight = statuses(RunStatus::is_in_flight);
    let text = format!(
        "SELECT 1 AS \"resumable\" FROM {runs} AS r WHERE {id} = {run} AND {status} = '{interrupted}' \
         AND NOT EXISTS (SELECT 1 FROM {runs} AS other_run WHERE {other_thread} = {thread} \
         AND ({other_order} > {order} OR {other_status} IN ({in_flight})))",
        runs = quoted(&table.table),
        id = writer.column("r", &table.id),
        status = writer.column("r", &table.status),
        interrupted = RunStatus::Interrupted,
        thread = writer.column("r", &table.thread),
        order = writer.column("r", &table.order),
        other_thread = writer.column("other_run", &table.thread),
        other_order = writer.column("other_run", &table.order),
        other_status = writer.column("other_run", &table.status),
    );
    writer.statement(text)
}

struct Writer<'a> {
    dialect: Dialect,
    table: &'a RunTable,
    parameters: Vec<&'static str>,
}

impl<'a> Writer<'a> {
    const fn new(dialect: Dialect, table: &'a RunTable) -> Self {
        Self {
            dialect,
            table,
            parameters: Vec::new(),
        }
    }

    fn statement(self, text: String) -> Statement {
        Statement {
            text,
            parameters: self.parameters,
        }
    }

    fn bound(&mut self, name: &'static str) -> String {
        let known = self.parameters.iter().position(|other| *other == name);
        let place = known.unwrap_or_else(|| {
            self.parameters.push(name);
            self.parameters.len().saturating_sub(1)
        });
        match self.dialect {
            Dialect::Sqlite => format!(":{name}"),
            Dialect::Postgres => format!("${}", place.saturating_add(1)),
        }
    }

    fn column(&self, alias: &str, name: &str) -> String {
        format!("{alias}.{}", quoted(name))
    }

    fn root(&self, alias: &str) -> String {
        self.column(alias, TASK_ROOT)
    }

    fn turn(&self, alias: &str) -> String {
        self.column(alias, TASK_TURN)
    }

    fn text(&self, column: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => column.to_owned(),
            Dialect::Postgres => format!("{column}::text"),
        }
    }

    /// ISO 8601 in UTC, with all the precision that the row has.
    fn time(&self, column: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => column.to_owned(),
            Dialect::Postgres => {
                format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
            }
        }
    }

    /// An id as it is ordered, whatever the database's own collation is: by its bytes, as the index has it.
    fn by_bytes(&self, id: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => id.to_owned(),
            Dialect::Postgres => format!("{id} COLLATE \"C\""),
        }
    }

    /// Whether there is such a row, asked of each row by itself. Postgres would make a join of it, which
    /// it guesses wrong: it then reads and sorts all tasks for a page of fifty. `OFFSET 0` keeps it from
    /// that.
    fn exists(&self, query: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => format!("EXISTS ({query})"),
            Dialect::Postgres => format!("EXISTS ({query} OFFSET 0)"),
        }
    }

    fn as_time(&self, bound: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => bound.to_owned(),
            Dialect::Postgres => format!("{bound}::timestamptz"),
        }
    }

    /// What is read of a run that shows a task.
    fn columns(&self, r: &str, kwargs: String, members: Members) -> String {
        // A number: what a host has pg make of a boolean is the host's own affair.
        let moved_on = format!(
            "CASE WHEN {} = '{}' AND {} THEN 1 ELSE 0 END",
            self.column(r, &self.table.status),
            RunStatus::Interrupted,
            self.moved_on(r)
        );
        [
            (self.column(r, &self.table.id), "run"),
            (self.column(r, &self.table.thread), "thread"),
            (self.column(r, &self.table.status), "status"),
            (self.text(&self.column(r, &self.table.error)), "error"),
            (self.time(&self.column(r, &self.table.updated_at)), "at"),
            (self.root(r), "task"),
            (self.turn(r), "turn"),
            (kwargs, "kwargs"),
            (moved_on, "movedOn"),
        ]
        .into_iter()
        .chain(Member::ALL.map(|member| (self.shown(r, member, members), member.key())))
        .map(|(expression, name)| format!("{expression} AS {}", quoted(name)))
        .collect::<Vec<_>>()
        .join(", ")
    }

    fn conditions(&mut self, r: &str, filter: TaskFilter) -> String {
        let mut all = vec![self.is_marked(r)];
        if filter.task {
            let task = self.bound("task");
            all.push(format!("{} = {task}", self.root(r)));
        }
        if filter.thread {
            let thread = self.bound("thread");
            let column = self.column(r, &self.table.thread);
            all.push(format!("{column} = {thread}"));
        }
        if filter.metadata {
            let metadata = self.bound("metadata");
            all.push(self.contains(&self.column(r, &self.table.metadata), &metadata));
        }
        if let Some(state) = filter.state {
            all.push(self.in_state(r, state));
        }
        let at = self.column(r, &self.table.updated_at);
        if filter.since {
            let since = self.bound("since");
            all.push(format!("{at} >= {}", self.as_time(&since)));
        }
        if filter.after {
            let after_at = self.bound("afterAt");
            let after_run = self.bound("afterRun");
            let id = self.by_bytes(&self.column(r, &self.table.id));
            all.push(format!(
                "({at}, {id}) < ({}, {after_run})",
                self.as_time(&after_at)
            ));
        }
        all.push(self.root_is_there(r));
        all.push(self.last_of_lineage(r));
        all.join(" AND ")
    }

    /// The run carries a mark that this version understands. It is the condition of the indexes.
    fn is_marked(&self, alias: &str) -> String {
        format!("{} IS NOT NULL", self.root(alias))
    }

    /// The task's first run is there, on the same thread; without it the others are ordinary runs.
    fn root_is_there(&self, r: &str) -> String {
        self.exists(&format!(
            "SELECT 1 FROM {runs} AS first_run WHERE {first_id} = {root} AND {first_thread} = {thread} AND {first_root} = {first_id} AND {first_turn} = 0",
            runs = quoted(&self.table.table),
            first_id = self.column("first_run", &self.table.id),
            root = self.root(r),
            first_thread = self.column("first_run", &self.table.thread),
            thread = self.column(r, &self.table.thread),
            first_root = self.root("first_run"),
            first_turn = self.turn("first_run"),
        ))
    }

    /// No run of the lineage has a later turn, and none of the same turn was created later.
    fn last_of_lineage(&self, r: &str) -> String {
        let later = self.exists(&format!(
            "SELECT 1 FROM {runs} AS next_run WHERE {next_root} = {root} AND {next_thread} = {thread} \
             AND ({next_turn}, {next_order}) > ({turn}, {order})",
            runs = quoted(&self.table.table),
            next_root = self.root("next_run"),
            root = self.root(r),
            next_thread = self.column("next_run", &self.table.thread),
            thread = self.column(r, &self.table.thread),
            next_turn = self.turn("next_run"),
            turn = self.turn(r),
            next_order = self.column("next_run", &self.table.order),
            order = self.column(r, &self.table.order),
        ));
        format!("NOT {later}")
    }

    /// A run that came later on the thread has started.
    fn moved_on(&self, r: &str) -> String {
        self.exists(&format!(
            "SELECT 1 FROM {runs} AS later_run WHERE {later_thread} = {thread} AND {later_order} > {order} AND {later_status} <> '{pending}'",
            runs = quoted(&self.table.table),
            later_thread = self.column("later_run", &self.table.thread),
            thread = self.column(r, &self.table.thread),
            later_order = self.column("later_run", &self.table.order),
            order = self.column(r, &self.table.order),
            later_status = self.column("later_run", &self.table.status),
            pending = RunStatus::Pending,
        ))
    }

    /// The result can be resumed from: it holds interrupts or a checkpoint.
    fn is_paused(&self, r: &str) -> String {
        let interrupts = self.column(r, Member::Interrupts.column());
        let checkpoint = self.column(r, Member::Checkpoint.column());
        format!(
            "(COALESCE({interrupts}, 'null') NOT IN ('null', '{{}}') OR COALESCE({checkpoint}, 'null') <> 'null')"
        )
    }

    fn in_state(&self, r: &str, state: TaskState) -> String {
        let status = self.column(r, &self.table.status);
        let is_open = || format!("({} AND NOT {})", self.is_paused(r), self.moved_on(r));
        match state {
            TaskState::Submitted => format!("{status} = '{}'", RunStatus::Pending),
            TaskState::Working => format!("{status} = '{}'", RunStatus::Running),
            TaskState::Completed => format!("{status} = '{}'", RunStatus::Success),
            TaskState::Failed => {
                format!(
                    "{status} IN ('{}', '{}')",
                    RunStatus::Error,
                    RunStatus::Timeout
                )
            }
            TaskState::InputRequired => {
                format!(
                    "({status} = '{}' AND {})",
                    RunStatus::Interrupted,
                    is_open()
                )
            }
            TaskState::Canceled => format!(
                "({status} = '{}' OR ({status} = '{}' AND NOT {}))",
                RunStatus::Cancelled,
                RunStatus::Interrupted,
                is_open()
            ),
        }
    }

    /// The kwargs of the whole lineage, in order: the messages stand in their marks.
    fn lineage_kwargs(&self, r: &str) -> String {
        let runs = quoted(&self.table.table);
        let of_lineage = format!(
            "{} = {} AND {} = {}",
            self.root("turn_run"),
            self.root(r),
            self.column("turn_run", &self.table.thread),
            self.column(r, &self.table.thread),
        );
        let kwargs = self.text(&self.column("turn_run", &self.table.kwargs));
        let order = format!(
            "{}, {}",
            self.turn("turn_run"),
            self.column("turn_run", &self.table.order)
        );
        match self.dialect {
            Dialect::Sqlite => format!(
                "(SELECT json_group_array(kwargs) FROM (SELECT {kwargs} AS kwargs FROM {runs} AS turn_run WHERE {of_lineage} ORDER BY {order}))"
            ),
            Dialect::Postgres => format!(
                "(SELECT json_agg({kwargs} ORDER BY {order})::text FROM {runs} AS turn_run WHERE {of_lineage})"
            ),
        }
    }

    /// A member of the result where something of it is shown: an answer that nobody sees, or that the
    /// declared reply stands in for, does not leave the database.
    fn shown(&self, r: &str, member: Member, members: Members) -> String {
        let column = self.column(r, member.column());
        let status = self.column(r, &self.table.status);
        let under = |shown: RunStatus, besides: &str| {
            format!("CASE WHEN {status} = '{shown}'{besides} THEN {column} END")
        };
        match (member, members) {
            (Member::Interrupts | Member::Checkpoint, _) => under(RunStatus::Interrupted, ""),
            (Member::Values | Member::Reply, Members::Questions) => "NULL".to_owned(),
            (Member::Reply, Members::Answers) => under(RunStatus::Success, ""),
            (Member::Values, Members::Answers) => {
                let reply = self.column(r, Member::Reply.column());
                under(RunStatus::Success, &format!(" AND {reply} IS NULL"))
            }
        }
    }

    /// Every member that is wanted is there, of the same kind and with the same value.
    fn contains(&self, metadata: &str, wanted: &str) -> String {
        match self.dialect {
            Dialect::Sqlite => format!(
                "NOT EXISTS (SELECT 1 FROM json_tree({wanted}) AS member WHERE NOT EXISTS \
                 (SELECT 1 FROM json_tree({metadata}) AS own WHERE own.fullkey = member.fullkey \
                 AND own.type = member.type AND own.atom IS member.atom))"
            ),
            Dialect::Postgres => format!("{metadata}::jsonb @> {wanted}::jsonb"),
        }
    }

    /// `cancelled`, if the run is paused and a task is shown by it.
    fn cancelling(&mut self, which: &str) -> String {
        let at = self.bound("at");
        format!(
            "UPDATE {} AS r SET {} = '{}', {} = NULL, {} = {at} WHERE {which} AND {} = '{}' AND {} AND {} AND {} AND {}",
            quoted(&self.table.table),
            quoted(&self.table.status),
            RunStatus::Cancelled,
            quoted(&self.table.error),
            quoted(&self.table.updated_at),
            self.column("r", &self.table.status),
            RunStatus::Interrupted,
            self.is_paused("r"),
            self.is_marked("r"),
            self.root_is_there("r"),
            self.last_of_lineage("r"),
        )
    }
}

fn statuses(which: fn(RunStatus) -> bool) -> String {
    RunStatus::ALL
        .into_iter()
        .filter(|status| which(*status))
        .map(|status| format!("'{status}'"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [TaskState; 6] = [
        TaskState::Submitted,
        TaskState::Working,
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::InputRequired,
    ];

    fn runs() -> RunTable {
        RunTable::default()
    }

    #[test]
    fn every_status_belongs_to_a_state_and_only_a_pause_to_two() {
        let table = runs();
        let writer = Writer::new(Dialect::Sqlite, &table);
        for status in RunStatus::ALL {
            let named = STATES
                .iter()
                .filter(|state| {
                    writer
                        .in_state("r", **state)
                        .contains(&format!("'{status}'"))
                })
                .count();
            let expected = match status {
                // A pause is open, or it has been passed over.
                RunStatus::Interrupted => 2,
                // What has not started has not passed anything over.
                RunStatus::Pending => 3,
                _ => 1,
            };
            assert_eq!(named, expected, "{status}");
        }
    }

    #[test]
    fn a_list_reads_no_answer_that_it_does_not_show() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let listed = task_page(dialect, &runs(), TaskFilter::default()).text;
            assert!(!listed.contains("result_values") && !listed.contains("result_reply"));
            let answers = TaskFilter {
                members: Members::Answers,
                ..TaskFilter::default()
            };
            let shown = task_page(dialect, &runs(), answers).text;
            assert!(shown.contains("CASE WHEN r.\"status\" = 'success' AND"));
        }
    }

    #[test]
    fn a_count_knows_no_page() {
        let filter = TaskFilter {
            thread: true,
            after: true,
            ..TaskFilter::default()
        };
        let count = task_count(Dialect::Postgres, &runs(), filter);
        assert_eq!(count.parameters, ["thread"]);
        let page = task_page(Dialect::Postgres, &runs(), filter);
        assert_eq!(page.parameters, ["thread", "afterAt", "afterRun", "limit"]);
        assert!(page.text.contains("COLLATE \"C\") < ($2::timestamptz, $3)"));
    }

    #[test]
    fn only_a_marked_pause_at_the_end_of_its_lineage_is_cancelled() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            for statement in [cancel_paused(dialect, &runs()), pass_over(dialect, &runs())] {
                assert_eq!(statement.parameters, ["run", "at"]);
                for condition in [
                    "r.\"status\" = 'interrupted'",
                    "r.\"task_root\" IS NOT NULL AND",
                    "AS first_run",
                    "AS next_run",
                    "\"result_checkpoint\"",
                ] {
                    assert!(statement.text.contains(condition), "{}", statement.text);
                }
            }
        }
    }
}
