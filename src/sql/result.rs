//! The primitives of the SQL drivers, each as conditional statements (contract 2, 4 and 6).
//!
//! The condition *is* the rule: `result_values IS NULL` is first write wins, and the list of
//! in-flight statuses is "the first terminal status stays". A driver only binds and runs them.
//! Parameters are `:name` on SQLite and `$n` on Postgres, in the order of [`Parameter`].

use crate::fields::{Fields, Outside, Wrong};
use crate::result::wire::Member;
use crate::run::RunStatus;

/// The SQL spoken by the driver's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite 3.35 and newer (`RETURNING`).
    Sqlite,
    /// Postgres 12 and newer.
    Postgres,
}

/// The host's names for its own table of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTable {
    /// The table.
    pub table: String,
    /// The run id: the primary key.
    pub id: String,
    /// The status column.
    pub status: String,
    /// The error column: JSON.
    pub error: String,
    /// When the status was last written.
    pub updated_at: String,
    /// The thread of the run.
    pub thread: String,
    /// What the runs of a thread are ordered by: it grows with every run that is created.
    pub order: String,
    /// The run's kwargs: JSON, with the server's mark.
    pub kwargs: String,
    /// The run's metadata: JSON.
    pub metadata: String,
}

impl RunTable {
    /// The names as a host gives them, all of them.
    ///
    /// # Errors
    ///
    /// [`Wrong`].
    #[inline]
    pub fn of_given(names: &Fields<'_, impl Outside>) -> Result<Self, Wrong> {
        Ok(Self {
            table: names.text("table")?,
            id: names.text("id")?,
            status: names.text("status")?,
            error: names.text("error")?,
            updated_at: names.text("updatedAt")?,
            thread: names.text("thread")?,
            order: names.text("order")?,
            kwargs: names.text("kwargs")?,
            metadata: names.text("metadata")?,
        })
    }
}

impl Default for RunTable {
    fn default() -> Self {
        Self {
            table: "runs".to_owned(),
            id: "run_id".to_owned(),
            status: "status".to_owned(),
            error: "error".to_owned(),
            updated_at: "updated_at".to_owned(),
            thread: "thread_id".to_owned(),
            order: "seq".to_owned(),
            kwargs: "kwargs".to_owned(),
            metadata: "metadata".to_owned(),
        }
    }
}

/// The statements of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statements {
    /// `record`: run, values, interrupts, reply, checkpoint.
    pub record: String,
    /// `read`: run.
    pub read: String,
    /// `settle`: run, status, error, at, values, interrupts, reply, checkpoint. Returns the status
    /// if it won, no row otherwise.
    pub settle: String,
    /// `cancel`: run, at. Returns the status if it won, no row otherwise.
    pub cancel: String,
    /// `start`: run, at. Returns the status if it won, no row otherwise. The time of a run that is
    /// `running` already stays: it has another only with another status.
    pub start: String,
    /// The status that stands, for a conditional write that lost: run.
    pub status: String,
    /// `readMany`: an array of runs on Postgres; SQLite runs it once for each run. Returns the run as
    /// `run`, and its texts; runs without a result are left out.
    pub read_many: String,
    /// `attachMany`: `record` for many. On Postgres five arrays in the order of `record`; SQLite runs
    /// `record` once for each entry, in one transaction.
    pub attach_many: String,
    /// Locks the runs that `attachMany` writes, in its order, for an import that takes more than one
    /// statement: their ids as one array. Only on Postgres.
    pub lock_many: Option<String>,
    /// The checkpoints of the sources of a copy, as `run` and `checkpoint`: as for `readMany`.
    pub checkpoints: String,
    /// `copyMany`: source, target, and the target's checkpoint; on Postgres an array of each, on SQLite
    /// once for each copy, in one transaction.
    pub copy_many: String,
}

/// A bound parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    Run,
    Status,
    Error,
    At,
    Text(Member),
}

impl Parameter {
    const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Status => "status",
            Self::Error => "error",
            Self::At => "at",
            Self::Text(member) => member.key(),
        }
    }
}

/// Writes the statements for a host's table.
pub fn statements(dialect: Dialect, table: &RunTable) -> Statements {
    let writer = Writer { dialect, table };
    Statements {
        record: writer.record(),
        read: writer.read(),
        settle: writer.settle(),
        cancel: writer.cancel(),
        start: writer.start(),
        status: writer.status(),
        read_many: writer.read_many(),
        attach_many: writer.attach_many(),
        lock_many: writer.lock_many(),
        checkpoints: writer.checkpoints(),
        copy_many: writer.copy_many(),
    }
}

struct Writer<'a> {
    dialect: Dialect,
    table: &'a RunTable,
}

impl Writer<'_> {
    fn record(&self) -> String {
        let order = [Parameter::Run]
            .into_iter()
            .chain(Member::ALL.map(Parameter::Text))
            .collect::<Vec<_>>();
        let assignments = Member::ALL
            .map(|member| {
                format!(
                    "{} = {}",
                    quoted(member.column()),
                    self.bound(&order, Parameter::Text(member))
                )
            })
            .join(", ");
        format!(
            "UPDATE {} SET {assignments} WHERE {} = {} AND {} IS NULL",
            self.runs(),
            quoted(&self.table.id),
            self.bound(&order, Parameter::Run),
            quoted(Member::Values.column()),
        )
    }

    fn read(&self) -> String {
        let columns = Member::ALL
            .map(|member| format!("{} AS {}", quoted(member.column()), quoted(member.key())))
            .join(", ");
        format!(
            "SELECT {columns} FROM {} {}",
            self.runs(),
            self.of_run(&[Parameter::Run])
        )
    }

    fn settle(&self) -> String {
        let order = [
            Parameter::Run,
            Parameter::Status,
            Parameter::Error,
            Parameter::At,
        ]
        .into_iter()
        .chain(Member::ALL.map(Parameter::Text))
        .collect::<Vec<_>>();
        // Every right-hand side sees the row as it was, so all four members follow one condition.
        let first = quoted(Member::Values.column());
        let results = Member::ALL
            .map(|member| {
                let column = quoted(member.column());
                let text = self.bound(&order, Parameter::Text(member));
                format!("{column} = CASE WHEN {first} IS NULL THEN {text} ELSE {column} END")
            })
            .join(", ");
        format!(
            "UPDATE {} SET {} = {}, {} = {}, {} = {}, {results} {} AND {} RETURNING {} AS \"status\"",
            self.runs(),
            quoted(&self.table.status),
            self.bound(&order, Parameter::Status),
            quoted(&self.table.error),
            self.bound(&order, Parameter::Error),
            quoted(&self.table.updated_at),
            self.bound(&order, Parameter::At),
            self.of_run(&order),
            self.in_flight(),
            quoted(&self.table.status),
        )
    }

    fn cancel(&self) -> String {
        let order = [Parameter::Run, Parameter::At];
        format!(
            "UPDATE {} SET {} = '{}', {} = NULL, {} = {} {} AND {} RETURNING {} AS \"status\"",
            self.runs(),
            quoted(&self.table.status),
            RunStatus::Cancelled,
            quoted(&self.table.error),
            quoted(&self.table.updated_at),
            self.bound(&order, Parameter::At),
            self.of_run(&order),
            self.in_flight(),
            quoted(&self.table.status),
        )
    }

    fn start(&self) -> String {
        let order = [Parameter::Run, Parameter::At];
        let status = quoted(&self.table.status);
        let at = quoted(&self.table.updated_at);
        format!(
            "UPDATE {} SET {status} = '{running}', {} = NULL, {at} = CASE WHEN {status} = '{running}' THEN {at} ELSE {} END {} AND {} RETURNING {status} AS \"status\"",
            self.runs(),
            quoted(&self.table.error),
            self.bound(&order, Parameter::At),
            self.of_run(&order),
            self.in_flight(),
            running = RunStatus::Running,
        )
    }

    fn status(&self) -> String {
        format!(
            "SELECT {} AS \"status\" FROM {} {}",
            quoted(&self.table.status),
            self.runs(),
            self.of_run(&[Parameter::Run])
        )
    }

    fn read_many(&self) -> String {
        let columns = Member::ALL
            .map(|member| format!("{} AS {}", quoted(member.column()), quoted(member.key())));
        self.of_many(&columns.join(", "), Member::Values)
    }

    fn checkpoints(&self) -> String {
        let column = format!("{} AS \"checkpoint\"", quoted(Member::Checkpoint.column()));
        self.of_many(&column, Member::Checkpoint)
    }

    /// The columns of many runs, of those that have the member.
    fn of_many(&self, columns: &str, member: Member) -> String {
        let id = quoted(&self.table.id);
        let among = match self.dialect {
            Dialect::Sqlite => "= :run",
            Dialect::Postgres => "= ANY($1::text[])",
        };
        format!(
            "SELECT {id} AS \"run\", {columns} FROM {} WHERE {id} {among} AND {} IS NOT NULL",
            self.runs(),
            quoted(member.column()),
        )
    }

    fn attach_many(&self) -> String {
        if self.dialect == Dialect::Sqlite {
            return self.record();
        }
        let names = Member::ALL.map(Member::key).map(quoted);
        let assignments = Member::ALL
            .map(|member| {
                format!(
                    "{} = entry.{}",
                    quoted(member.column()),
                    quoted(member.key())
                )
            })
            .join(", ");
        let locked = self.locked("$1");
        let runs = self.runs();
        let id = quoted(&self.table.id);
        let values = quoted(Member::Values.column());
        format!(
            "{locked} UPDATE {runs} AS target SET {assignments} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) \
             AS entry(run, {}) JOIN locked ON locked.run = entry.run WHERE target.{id} = entry.run AND target.{values} IS NULL",
            names.join(", "),
        )
    }

    fn lock_many(&self) -> Option<String> {
        match self.dialect {
            Dialect::Sqlite => None,
            Dialect::Postgres => Some(format!("{} SELECT count(*) FROM locked", self.locked("$1"))),
        }
    }

    /// Only the checkpoint is written anew; the other texts do not leave the database.
    fn copy_many(&self) -> String {
        let runs = self.runs();
        let id = quoted(&self.table.id);
        let values = quoted(Member::Values.column());
        let columns = Member::ALL.map(|member| quoted(member.column()));
        match self.dialect {
            Dialect::Sqlite => {
                let from = Member::ALL.map(|member| match member {
                    Member::Checkpoint => ":checkpoint".to_owned(),
                    other => format!("source.{}", quoted(other.column())),
                });
                format!(
                    "UPDATE {runs} SET ({}) = (SELECT {} FROM {runs} AS source WHERE source.{id} = :source) \
                     WHERE {id} = :target AND {values} IS NULL",
                    columns.join(", "),
                    from.join(", "),
                )
            }
            Dialect::Postgres => {
                let assignments = Member::ALL
                    .map(|member| match member {
                        Member::Checkpoint => {
                            format!("{} = copy.checkpoint", quoted(member.column()))
                        }
                        other => format!("{0} = source.{0}", quoted(other.column())),
                    })
                    .join(", ");
                let locked = self.locked("$2");
                format!(
                    "{locked} UPDATE {runs} AS target SET {assignments} FROM unnest($1::text[], $2::text[], $3::text[]) \
                     AS copy(source, target, checkpoint) JOIN locked ON locked.run = copy.target \
                     JOIN {runs} AS source ON source.{id} = copy.source \
                     WHERE target.{id} = copy.target AND target.{values} IS NULL AND source.{values} IS NOT NULL"
                )
            }
        }
    }

    /// Locks the rows that are written, in one order, whatever the order of the entries: two imports or
    /// copies of the same runs wait for one another instead of locking each other out.
    fn locked(&self, among: &str) -> String {
        let id = quoted(&self.table.id);
        format!(
            "WITH locked AS (SELECT {id} AS run FROM {} WHERE {id} = ANY({among}::text[]) AND {} IS NULL \
             ORDER BY {id} FOR NO KEY UPDATE)",
            self.runs(),
            quoted(Member::Values.column()),
        )
    }

    fn runs(&self) -> String {
        quoted(&self.table.table)
    }

    fn of_run(&self, order: &[Parameter]) -> String {
        format!(
            "WHERE {} = {}",
            quoted(&self.table.id),
            self.bound(order, Parameter::Run)
        )
    }

    fn in_flight(&self) -> String {
        let statuses = RunStatus::ALL
            .into_iter()
            .filter(|status| status.is_in_flight())
            .map(|status| format!("'{status}'"))
            .collect::<Vec<_>>()
            .join(", ");
        format!("{} IN ({statuses})", quoted(&self.table.status))
    }

    fn bound(&self, order: &[Parameter], parameter: Parameter) -> String {
        match self.dialect {
            Dialect::Sqlite => format!(":{}", parameter.name()),
            Dialect::Postgres => {
                let place = order
                    .iter()
                    .take_while(|other| **other != parameter)
                    .count();
                format!("${}", place.saturating_add(1))
            }
        }
    }
}

/// An identifier that no name of a host's can break out of; a dot separates schema and table.
pub(crate) fn quoted(name: &str) -> String {
    name.split('.')
        .map(|part| format!("\"{}\"", part.replace('"', "\"\"")))
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> RunTable {
        RunTable::default()
    }

    #[test]
    fn a_result_is_recorded_only_on_a_run_without_one() {
        assert_eq!(
            statements(Dialect::Postgres, &runs()).record,
            "UPDATE \"runs\" SET \"result_values\" = $2, \"result_interrupts\" = $3, \"result_reply\" = $4, \
             \"result_checkpoint\" = $5 WHERE \"run_id\" = $1 AND \"result_values\" IS NULL"
        );
        assert!(
            statements(Dialect::Sqlite, &runs())
                .record
                .ends_with("WHERE \"run_id\" = :run AND \"result_values\" IS NULL")
        );
    }

    #[test]
    fn a_status_is_settled_only_on_a_run_in_flight_and_keeps_a_first_result() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let written = statements(dialect, &runs());
            for statement in [&written.settle, &written.cancel, &written.start] {
                assert!(statement.contains("AND \"status\" IN ('pending', 'running') RETURNING"));
            }
            assert_eq!(
                written
                    .settle
                    .matches("CASE WHEN \"result_values\" IS NULL THEN")
                    .count(),
                4
            );
        }
    }

    #[test]
    fn every_numbered_parameter_is_used_once_or_more_and_none_is_left_out() {
        let written = statements(Dialect::Postgres, &runs());
        for (statement, parameters) in [
            (&written.record, 5),
            (&written.settle, 8),
            (&written.cancel, 2),
            (&written.start, 2),
            (&written.read, 1),
            (&written.status, 1),
        ] {
            for place in 1..=parameters {
                assert!(
                    statement.contains(&format!("${place}")),
                    "{statement} lacks ${place}"
                );
            }
            assert!(!statement.contains(&format!("${}", parameters + 1)));
        }
    }

    #[test]
    fn no_statement_for_many_replaces_a_result() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let written = statements(dialect, &runs());
            assert!(written.attach_many.contains("\"result_values\" IS NULL"));
            assert!(written.copy_many.contains("\"result_values\" IS NULL"));
        }
    }

    #[test]
    fn imports_and_copies_lock_their_runs_in_one_order() {
        let written = statements(Dialect::Postgres, &runs());
        for statement in [written.attach_many, written.copy_many] {
            assert!(statement.contains("ORDER BY \"run_id\" FOR NO KEY UPDATE"));
            assert!(statement.contains("JOIN locked ON"));
        }
        let lock = written.lock_many.unwrap_or_default();
        assert!(lock.contains("ORDER BY \"run_id\" FOR NO KEY UPDATE"));
    }

    #[test]
    fn a_copy_takes_only_the_checkpoint_from_outside() {
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let copy = statements(dialect, &runs()).copy_many;
            for column in ["result_values", "result_interrupts", "result_reply"] {
                assert!(copy.contains(&format!("source.\"{column}\"")), "{copy}");
            }
            assert!(!copy.contains("source.\"result_checkpoint\""));
        }
    }

    #[test]
    fn a_hosts_names_stay_identifiers() {
        let odd = RunTable {
            table: "agents.ru\"ns".to_owned(),
            ..runs()
        };
        assert!(
            statements(Dialect::Sqlite, &odd)
                .read
                .contains("FROM \"agents\".\"ru\"\"ns\" WHERE")
        );
    }
}
