import type { ResultTexts, RunStatus, StatusOutcome, StoredTexts } from "../../wasm/shapes.js";
import { readMembers, requireMethods, requireOptionalFunction } from "../../wasm/argument.js";
import type { ResultDriver } from "../driver.js";
import { errorText } from "../../results/run-error.js";
import {
  copiedCheckpoints,
  entriesOf,
  statementsFor,
  unusable,
  type RunTableOptions,
} from "../sql/run-table.js";
import { requireCreatedAtOnce } from "../created-at-once.js";
import { taskPageOf, taskParameters, TaskSql } from "../sql/tasks.js";
import { millisecondFrom } from "../../tasks/query.js";

export { migrateSqlite } from "./migrate.js";
export { sqliteMigrations } from "./migrations.generated.js";
export { sqliteTaskMigrations } from "./task-migrations.generated.js";
export type { RunColumns, RunTableOptions, SqlMigration } from "../sql/run-table.js";

/** A prepared statement, as far as this driver uses it. */
export interface SqliteStatement {
  run(...parameters: unknown[]): unknown;
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
}

/** A `Database` of better-sqlite3, as far as this driver uses it. */
export interface SqliteDatabase {
  readonly name: string;
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  transaction<R>(work: () => R): { immediate(): R; deferred(): R };
}

/** Where the SQLite driver finds the host's runs. */
export interface SqliteDriverOptions extends RunTableOptions {
  /** An open `Database` of better-sqlite3. */
  database: SqliteDatabase;
  /**
   * Records the host's outbox entry with the same `Database`, inside the transaction of the settle;
   * called for every settle that has one, won or lost.
   */
  deliver?: (runId: string, delivery: unknown, status: RunStatus) => void;
}

/**
 * Keeps results beside the runs of an SQLite file, over a `Database` of better-sqlite3.
 *
 * Run {@link sqliteMigrations} first, and {@link sqliteTaskMigrations} where tasks are asked for. SQLite reads JSON
 * of a thousand levels: a marked run whose kwargs are deeper is kept, and is no task. Every primitive is one conditional statement, or one transaction
 * begun with `BEGIN IMMEDIATE` (a savepoint inside a transaction that the host has open on the same
 * `Database`, so that the `transaction` arguments are not needed here). For a result that must outlive power loss open the file with
 * `journal_mode = WAL` and `synchronous = FULL`.
 *
 * @throws `database_unusable` for a closed or broken database, and for a table without the columns;
 * `invalid_argument`
 *
 * @example
 * ```ts
 * const database = new Database("agent.db");
 * const methods = resultMethods(sqliteDriver({ database }));
 * ```
 */
export function sqliteDriver(options: SqliteDriverOptions): Required<ResultDriver> {
  const { database, deliver } = readMembers("options", options, "database", "deliver");
  requireMethods("database", database, ["exec", "prepare", "transaction"]);
  requireOptionalFunction("deliver", deliver);
  const sql = statementsFor("sqlite", options);
  const prepare = (text: string) => prepared(database, text);
  const record = prepare(sql.record);
  const read = prepare(sql.read);
  const settle = prepare(sql.settle);
  const cancel = prepare(sql.cancel);
  const start = prepare(sql.start);
  const status = prepare(sql.status);
  const readMany = prepare(sql.readMany);
  const checkpoints = prepare(sql.checkpoints);
  const copy = prepare(sql.copyMany);
  const tasks = new TaskSql("sqlite", options);
  // Prepared when they are first used: they need columns that results alone do not.
  const statements = new Map<string, SqliteStatement>();
  const preparedOnce = (text: string): SqliteStatement => {
    const known = statements.get(text) ?? prepare(text);
    statements.set(text, known);
    return known;
  };

  const ended = (won: unknown, run: string): StatusOutcome | null => {
    const row = won ?? status.get({ run });
    return isStatusRow(row) ? { status: row.status, won: won !== undefined } : null;
  };
  const inTransaction = <R>(work: () => R): R => database.transaction(work).immediate();

  return {
    record: (run, texts) => {
      record.run({ run, ...columnsOf(texts) });
    },
    read: (run) => read.get({ run }) as StoredTexts | undefined,
    settle: (run, write) =>
      inTransaction(() => {
        const row = settle.get({
          run,
          status: write.status,
          error: errorText(write.error),
          at: write.at,
          ...columnsOf(write.result),
        });
        const answer = ended(row, run);
        if (write.delivery !== undefined)
          deliver?.(run, write.delivery, answer?.status ?? write.status);
        return answer;
      }),
    cancel: (run, { at }) => inTransaction(() => ended(cancel.get({ run, at }), run)),
    start: (run, { at }) => inTransaction(() => ended(start.get({ run, at }), run)),
    readMany: (runs) => entriesOf(rowsOf(readMany, runs)),
    attachMany: (entries) => {
      inTransaction(() => {
        for (const [run, texts] of entries) record.run({ run, ...columnsOf(texts) });
      });
    },
    copyMany: (copies, checkpointFor) => {
      inTransaction(() => {
        const sources = copies.map(({ from }) => from);
        const found = rowsOf(checkpoints, sources);
        const copied = copiedCheckpoints(found, checkpointFor);
        for (const { from: source, to: target } of copies) {
          copy.run({ source, target, checkpoint: copied.get(source) ?? null });
        }
      });
    },
    taskPage: (query) => {
      const { page, count, tasksOf } = tasks.list(query);
      const { since } = query;
      // Times are texts in here, and are compared as texts.
      const values = taskParameters(
        since === undefined ? query : { ...query, since: millisecondFrom(since) },
      );
      const read = () =>
        taskPageOf(
          tasksOf(preparedOnce(page.text).all(pick(values, page.parameters))),
          query.count ? preparedOnce(count.text).get(pick(values, count.parameters)) : null,
        );
      // The page and its total are of one moment.
      return query.count ? database.transaction(read).deferred() : read();
    },
    cancelPaused: (run, { at }) =>
      inTransaction(() =>
        ended(preparedOnce(tasks.statements.cancelPaused.text).get({ run, at }), run),
      ),
    passOver: (run, { at }) => {
      preparedOnce(tasks.statements.passOver.text).run({ run, at });
    },
    admitResume: (run, create) =>
      inTransaction(() => {
        const isResumable = preparedOnce(tasks.statements.resumable.text).get({ run });
        if (isResumable === undefined) return false;
        requireCreatedAtOnce(create());
        return true;
      }),
  };
}

function pick(values: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/**
 * The rows of these runs, under the ids that were asked for: better-sqlite3 keeps half of a surrogate
 * pair in an id, and does not give it back.
 */
function rowsOf(statement: SqliteStatement, runs: readonly string[]): unknown[] {
  return runs.flatMap((run) => statement.all({ run }).map((row) => ({ ...(row as object), run })));
}

function columnsOf(texts: ResultTexts | null) {
  return {
    values: texts?.values ?? null,
    interrupts: texts?.interrupts ?? null,
    reply: texts?.reply ?? null,
    checkpoint: texts?.checkpoint ?? null,
  };
}

function isStatusRow(row: unknown): row is { status: RunStatus } {
  return typeof row === "object" && row !== null && "status" in row;
}

function prepared(database: SqliteDatabase, sql: string): SqliteStatement {
  try {
    return database.prepare(sql);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = /no such (table|column)/.test(reason)
      ? "Run the migrations of this package (sqliteMigrations, and sqliteTaskMigrations for tasks) after the host's own."
      : "Check that the file is an SQLite database and that it is open.";
    throw unusable(`The SQLite database ${database.name}`, reason, advice, cause);
  }
}
