import type { ResultTexts, RunStatus, StatusOutcome, StoredTexts } from "../../wasm/shapes.js";
import {
  readMembers,
  requireMethods,
  requireOptionalFunction,
  requireThat,
} from "../../wasm/argument.js";
import type { ResultDriver } from "../driver.js";
import { entryBatches, type EntryBatch } from "./entry-batches.js";
import { hasEscapeThatJsonbRefuses } from "../../results/jsonb.js";
import {
  inTransaction,
  namedStatement,
  type PostgresClient,
  type PostgresQueryable,
} from "./pool.js";
import { errorText } from "../../results/run-error.js";
import {
  copiedCheckpoints,
  entriesOf,
  statementsFor,
  unusable,
  type RunTableOptions,
} from "../sql/run-table.js";
import { taskPageOf, taskParameters, TaskSql } from "../sql/tasks.js";
import type { Statement } from "../../wasm/glue.js";

export type { NamedStatement, PostgresClient, PostgresPool, PostgresQueryable } from "./pool.js";
export { migratePostgres } from "./migrate.js";
export { postgresMigrations } from "./migrations.generated.js";
export { postgresTaskMigrations } from "./task-migrations.generated.js";
export type { RunColumns, RunTableOptions, SqlMigration } from "../sql/run-table.js";

/** Where the Postgres driver finds the host's runs. */
export interface PostgresDriverOptions<
  Client extends PostgresClient = PostgresClient,
> extends RunTableOptions {
  /**
   * A `Pool` of pg. No session setting is made, and no statement is named unless `prepare` says so: a
   * pooler in transaction mode may sit between.
   */
  pool: PostgresQueryable & { connect(): Promise<NoInfer<Client>> };
  /**
   * Whether a connection plans the statements about one run or one task once and keeps them, by name.
   * For connections that lead to the server itself, or to a pooler that follows named statements
   * (PgBouncer from 1.21 on, with `max_prepared_statements`). Lists are planned for their values each
   * time.
   *
   * @defaultValue false
   */
  prepare?: boolean;
  /**
   * Records the host's outbox entry on the client of the settle's transaction; called for every
   * settle that has one, won or lost.
   */
  deliver?: (client: Client, runId: string, delivery: unknown, status: RunStatus) => Promise<void>;
}

/**
 * Keeps results beside the runs of a Postgres database, over a `Pool` of pg.
 *
 * Run {@link postgresMigrations} first, and {@link postgresTaskMigrations} where tasks are asked for. Every primitive is one conditional statement; a settle with a
 * delivery, and a copy, is one transaction. The `transaction` arguments are the client on which the
 * host has begun its own.
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString });
 * const methods = resultMethods(postgresDriver({ pool }));
 * ```
 */
export function postgresDriver<Client extends PostgresClient>(
  options: PostgresDriverOptions<Client>,
): Required<ResultDriver> {
  const own = readMembers("options", options, "pool", "deliver", "prepare");
  const { pool, deliver } = own;
  const prepare = own.prepare ?? false;
  requireMethods("pool", pool, ["query", "connect"]);
  requireOptionalFunction("deliver", deliver);
  requireThat("prepare", "true or false", () => typeof prepare === "boolean");
  const sql = statementsFor("postgres", options);
  const tasks = new TaskSql("postgres", options);

  const rows = async (on: PostgresQueryable, ...asked: Parameters<PostgresQueryable["query"]>) => {
    try {
      return (await on.query(...asked)).rows;
    } catch (cause) {
      throw explained(cause);
    }
  };

  /** For what is asked again and again, and has one best plan whatever its values are. */
  const kept = (on: PostgresQueryable, statement: string, parameters: unknown[]) =>
    prepare ? rows(on, namedStatement(statement, parameters)) : rows(on, statement, parameters);

  /**
   * The answer of a conditional write. The status that stands is read by a statement of its own: the
   * snapshot of the write is older than the writer that beat it.
   */
  const ended = async (
    on: PostgresQueryable,
    run: string,
    won: unknown[],
  ): Promise<StatusOutcome | null> => {
    const [row] = won.length > 0 ? won : await kept(on, sql.status, [boundId(run)]);
    return isStatusRow(row) ? { status: row.status, won: won.length > 0 } : null;
  };

  const attachBatch = async (on: PostgresQueryable, batch: EntryBatch): Promise<void> => {
    if (batch.kind === "one") {
      const [run, texts] = batch.entry;
      await kept(on, sql.record, [boundId(run), ...columnsOf(texts)]);
      return;
    }
    const texts = batch.entries.map(([, entry]) => columnsOf(entry));
    const columns = [0, 1, 2, 3].map((column) => texts.map((row) => row[column] ?? null));
    const runs = batch.entries.map(([run]) => boundId(run));
    await rows(on, sql.attachMany, [runs, ...columns]);
  };

  return {
    record: async (run, texts) => {
      await kept(pool, sql.record, [boundId(run), ...columnsOf(texts)]);
    },
    read: async (run) => {
      const [row] = await kept(pool, sql.read, [boundId(run)]);
      return row as StoredTexts | undefined;
    },
    settle: async (run, { status, error, at, result, delivery }) => {
      const parameters = [boundId(run), status, errorText(error), at, ...columnsOf(result)];
      if (delivery === undefined || !deliver) {
        return ended(pool, run, await kept(pool, sql.settle, parameters));
      }
      return inTransaction(pool, async (client) => {
        const answer = await ended(client, run, await kept(client, sql.settle, parameters));
        await deliver(client, run, delivery, answer?.status ?? status);
        return answer;
      });
    },
    cancel: async (run, { at }) =>
      ended(pool, run, await kept(pool, sql.cancel, [boundId(run), at])),
    start: async (run, { at }) => ended(pool, run, await kept(pool, sql.start, [boundId(run), at])),
    readMany: async (runs) => entriesOf(await rows(pool, sql.readMany, [runs.map(boundId)])),
    attachMany: async (entries, transaction) => {
      const batches = entryBatches(entries);
      const attach = async (on: PostgresQueryable) => {
        // Each statement locks its own runs; two imports must not hold what the other one waits for.
        const all = entries.map(([run]) => boundId(run));
        if (batches.length > 1 && sql.lockMany) await rows(on, sql.lockMany, [all]);
        for (const batch of batches) await attachBatch(on, batch);
      };
      const host = queryable(transaction);
      if (host ?? batches.length === 1) await attach(host ?? pool);
      else await inTransaction(pool, attach);
    },
    copyMany: async (copies, checkpointFor, transaction) => {
      const sources = copies.map(({ from }) => boundId(from));
      const targets = copies.map(({ to }) => boundId(to));
      const copy = async (on: PostgresQueryable) => {
        const found = await rows(on, sql.checkpoints, [sources]);
        const copied = copiedCheckpoints(found, checkpointFor);
        const checkpoints = copies.map(({ from }) => copied.get(from) ?? null);
        await rows(on, sql.copyMany, [sources, targets, checkpoints]);
      };
      const host = queryable(transaction);
      await (host ? copy(host) : inTransaction(pool, copy));
    },
    taskPage: async (query) => {
      const { page, count, isLineage, tasksOf } = tasks.list(query);
      const values = taskParameters(query);
      // No row's metadata hold what `jsonb` refuses, and the server would say so instead.
      const scope = values["metadata"];
      if (typeof scope === "string" && hasEscapeThatJsonbRefuses(scope)) values["metadata"] = null;
      const read = (statement: Statement, ask: typeof kept) =>
        ask(pool, statement.text, boundTo(statement, values));
      const asked = read(page, isLineage ? kept : rows);
      if (!query.count) return taskPageOf(tasksOf(await asked), null);
      const [found, [counted]] = await Promise.all([asked, read(count, rows)]);
      return taskPageOf(tasksOf(found), counted);
    },
    cancelPaused: async (run, { at }) => {
      const { cancelPaused } = tasks.statements;
      const parameters = boundTo(cancelPaused, { run: boundId(run), at });
      return ended(pool, run, await kept(pool, cancelPaused.text, parameters));
    },
    passOver: async (run, { at }) => {
      const { passOver } = tasks.statements;
      await kept(pool, passOver.text, boundTo(passOver, { run: boundId(run), at }));
    },
    admitResume: async (run, create) => {
      const { lockPaused, resumable } = tasks.statements;
      return inTransaction(pool, async (client) => {
        // Another answer waits here until this one is admitted, and then sees it.
        if (lockPaused) await kept(client, lockPaused.text, [boundId(run)]);
        const [isResumable] = await kept(client, resumable.text, [boundId(run)]);
        if (isResumable === undefined) return false;
        await create(client);
        return true;
      });
    },
  };
}

/** A statement's parameters, by their numbers. What no row can hold finds none: see {@link boundId}. */
function boundTo({ parameters }: Statement, values: Record<string, unknown>): unknown[] {
  return parameters.map((name) => {
    const value = values[name] ?? null;
    return typeof value === "string" ? boundId(value) : value;
  });
}

/** What a text of Postgres does not hold: NUL, and half of a surrogate pair. */
// eslint-disable-next-line no-control-regex
const UNHOLDABLE = /[\u0000\p{Surrogate}]/u;

/**
 * A run id as it is bound. One that no row can have would be refused by the server, or turned into the
 * id of another run on its way there: it is bound as SQL's NULL, which equals no id.
 */
function boundId(runId: string): string | null {
  return UNHOLDABLE.test(runId) ? null : runId;
}

/** The client of the host's open transaction, where it has one. */
function queryable(transaction: unknown): PostgresQueryable | undefined {
  return transaction === undefined ? undefined : (transaction as PostgresQueryable);
}

function columnsOf(texts: ResultTexts | null) {
  return [
    texts?.values ?? null,
    texts?.interrupts ?? null,
    texts?.reply ?? null,
    texts?.checkpoint ?? null,
  ];
}

function isStatusRow(row: unknown): row is { status: RunStatus } {
  return typeof row === "object" && row !== null && "status" in row;
}

/** Names the cause that a person can act on; any other failure is handed on as it is. */
function explained(cause: unknown): unknown {
  const code =
    typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  const reason = cause instanceof Error && cause.message ? cause.message : String(code ?? cause);
  switch (code) {
    case "42P01":
    case "42703":
      return unusable(
        "The Postgres database",
        reason,
        "Run the migrations of this package (postgresMigrations, and postgresTaskMigrations for tasks) after the host's own.",
        cause,
      );
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "57P03":
    case "3D000":
    case "28P01":
      return unusable(
        "The Postgres server",
        reason,
        "Check that the server is up and that the connection string names it, its database and its user.",
        cause,
      );
    default:
      return cause;
  }
}
