import { readArgument, requireMethods, requireOptionalFunction } from "./argument.js";
import type { EndedRun, ResultDriver, ResultTexts, StoredTexts } from "./driver.js";
import { entryBatches, type EntryBatch } from "./entry-batches.js";
import { hasEscapeThatJsonbRefuses } from "./jsonb.js";
import type { RunStatus } from "./run-result.js";
import { errorText } from "./run-error.js";
import {
  copiedCheckpoints,
  entriesOf,
  statementsFor,
  unusable,
  type RunTableOptions,
} from "./run-table.js";
import { taskPageOf, taskParameters, TaskSql } from "./sql-tasks.js";
import type { Statement } from "./wasm/glue.js";

export { migratePostgres } from "./migrations/migrate-postgres.js";
export { postgresMigrations } from "./migrations/postgres.generated.js";
export { postgresTaskMigrations } from "./migrations/postgres-tasks.generated.js";
export type { RunColumns, RunTableOptions, SqlMigration } from "./run-table.js";

/** What runs a statement: a pool or one of its clients. */
export interface PostgresQueryable {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A client of a `Pool`, as far as this driver uses it. */
export interface PostgresClient extends PostgresQueryable {
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A `Pool` of pg, as far as this driver uses it. */
export interface PostgresPool extends PostgresQueryable {
  connect(): Promise<PostgresClient>;
}

/** Where the Postgres driver finds the host's runs. */
export interface PostgresDriverOptions<
  Client extends PostgresClient = PostgresClient,
> extends RunTableOptions {
  /** A `Pool` of pg. No statement is named and no session setting is made, so a pooler may sit between. */
  pool: PostgresQueryable & { connect(): Promise<NoInfer<Client>> };
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
  const { pool, deliver } = readArgument("options", () => ({
    pool: options.pool,
    deliver: options.deliver,
  }));
  requireMethods("pool", pool, ["query", "connect"]);
  requireOptionalFunction("deliver", deliver);
  const sql = statementsFor("postgres", options);
  const tasks = new TaskSql("postgres", options);

  const rows = async (on: PostgresQueryable, statement: string, parameters: unknown[]) => {
    try {
      return (await on.query(statement, parameters)).rows;
    } catch (cause) {
      throw explained(cause);
    }
  };

  /**
   * The answer of a conditional write. The status that stands is read by a statement of its own: the
   * snapshot of the write is older than the writer that beat it.
   */
  const ended = async (
    on: PostgresQueryable,
    run: string,
    won: unknown[],
  ): Promise<EndedRun | null> => {
    const [row] = won.length > 0 ? won : await rows(on, sql.status, [boundId(run)]);
    return isStatusRow(row) ? { status: row.status, won: won.length > 0 } : null;
  };

  const attachBatch = async (on: PostgresQueryable, batch: EntryBatch): Promise<void> => {
    if (batch.kind === "one") {
      const [run, texts] = batch.entry;
      await rows(on, sql.record, [boundId(run), ...columnsOf(texts)]);
      return;
    }
    const texts = batch.entries.map(([, entry]) => columnsOf(entry));
    const columns = [0, 1, 2, 3].map((column) => texts.map((row) => row[column] ?? null));
    const runs = batch.entries.map(([run]) => boundId(run));
    await rows(on, sql.attachMany, [runs, ...columns]);
  };

  return {
    record: async (run, texts) => {
      await rows(pool, sql.record, [boundId(run), ...columnsOf(texts)]);
    },
    read: async (run) => {
      const [row] = await rows(pool, sql.read, [boundId(run)]);
      return row as StoredTexts | undefined;
    },
    settle: async (run, { status, error, at, result, delivery }) => {
      const parameters = [boundId(run), status, errorText(error), at, ...columnsOf(result)];
      if (delivery === undefined || !deliver) {
        return ended(pool, run, await rows(pool, sql.settle, parameters));
      }
      return inTransaction(pool, async (client) => {
        const answer = await ended(client, run, await rows(client, sql.settle, parameters));
        await deliver(client, run, delivery, answer?.status ?? status);
        return answer;
      });
    },
    cancel: async (run, { at }) =>
      ended(pool, run, await rows(pool, sql.cancel, [boundId(run), at])),
    start: async (run, { at }) => ended(pool, run, await rows(pool, sql.start, [boundId(run), at])),
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
      const { page, count, tasksOf } = tasks.list(query);
      const values = taskParameters(query);
      // No row's metadata hold what `jsonb` refuses, and the server would say so instead.
      const scope = values["metadata"];
      if (typeof scope === "string" && hasEscapeThatJsonbRefuses(scope)) values["metadata"] = null;
      const read = (statement: Statement) => rows(pool, statement.text, boundTo(statement, values));
      if (!query.count) return taskPageOf(tasksOf(await read(page)), null);
      const [found, [counted]] = await Promise.all([read(page), read(count)]);
      return taskPageOf(tasksOf(found), counted);
    },
    cancelPaused: async (run, { at }) => {
      const { cancelPaused } = tasks.statements;
      const parameters = boundTo(cancelPaused, { run: boundId(run), at });
      return ended(pool, run, await rows(pool, cancelPaused.text, parameters));
    },
    passOver: async (run, { at }) => {
      const { passOver } = tasks.statements;
      await rows(pool, passOver.text, boundTo(passOver, { run: boundId(run), at }));
    },
    admitResume: async (run, create) => {
      const { lockPaused, resumable } = tasks.statements;
      return inTransaction(pool, async (client) => {
        // Another answer waits here until this one is admitted, and then sees it.
        if (lockPaused) await rows(client, lockPaused.text, [boundId(run)]);
        const [isResumable] = await rows(client, resumable.text, [boundId(run)]);
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

async function inTransaction<Client extends PostgresClient, R>(
  pool: { connect(): Promise<Client> },
  work: (client: Client) => Promise<R>,
): Promise<R> {
  const client = await pool.connect();
  // A connection that ends between two statements says so by an event; the next statement fails.
  const ignore = () => undefined;
  client.on("error", ignore);
  let isBroken = true;
  try {
    // Each statement sees what others have committed before it, whatever the database's default is.
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    const answer = await work(client);
    await client.query("COMMIT");
    isBroken = false;
    return answer;
  } catch (error) {
    // A client that could not even roll back must not serve anybody else.
    isBroken = !(await rolledBack(client));
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(isBroken);
  }
}

async function rolledBack(client: PostgresQueryable): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
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
