// What a piece of work asks of a database: seen at the drivers, which both agents share.

import BetterSqlite3, { type Statement } from "better-sqlite3";
import pg from "pg";

/** A statement, and the values handed over with it. */
export interface Executed {
  sql: string;
  values: unknown;
}

/** The tables of LangGraph's savers: both agents have the same saver, and it is not compared. */
const SAVER_TABLES =
  /\b(checkpoints|checkpoint_(blobs|writes|migrations))\b|\b(FROM|INTO)\s+writes\b/i;
const TRANSACTIONS = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i;
/** The host looks for callbacks that are due by the clock, whether there is a task or not. */
const BY_THE_CLOCK = /\bdeliveries\b/;
const WRITES = /^\s*(INSERT|UPDATE|DELETE|WITH\b[^]*\b(INSERT|UPDATE|DELETE))\b/i;

/** How many statements a piece of work executed beside those of the saver, and what they wrote. */
export interface StatementCount {
  statements: number;
  writes: number;
  /** Of the values handed over with the writes. */
  bytesWritten: number;
}

/** Does the work and answers what it executed in this process. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Executed[]> {
  const executed: Executed[] = [];
  const stop = watchStatements((statement) => executed.push(statement));
  try {
    await work();
  } finally {
    stop();
  }
  const isLeftOut = ({ sql }: Executed): boolean =>
    [SAVER_TABLES, TRANSACTIONS, BY_THE_CLOCK].some((kind) => kind.test(sql));
  return executed.filter((statement) => !isLeftOut(statement));
}

/** Tells of each statement of this process before it is executed; answers how to stop that. */
export function watchStatements(seen: (statement: Executed) => void): () => void {
  const restore = [watchPostgres(seen), watchSqlite(seen)];
  return () => {
    for (const back of restore) back();
  };
}

export function countOf(executed: readonly Executed[]): StatementCount {
  const writes = executed.filter(({ sql }) => WRITES.test(sql));
  return {
    statements: executed.length,
    writes: writes.length,
    bytesWritten: writes.reduce((sum, { values }) => sum + bytesOf(values), 0),
  };
}

function watchPostgres(seen: (statement: Executed) => void): () => void {
  return watchCalls(pg.Client.prototype, "query", (_client, [config, values]) => {
    if (typeof config === "string") seen({ sql: config, values });
    else if (typeof config === "object" && config !== null && "text" in config) {
      seen({ sql: String(config.text), values: values ?? Reflect.get(config, "values") });
    }
  });
}

function watchSqlite(seen: (statement: Executed) => void): () => void {
  const database = new BetterSqlite3(":memory:");
  const prototype = Object.getPrototypeOf(database.prepare("SELECT 1")) as object;
  database.close();
  const restore = ["run", "get", "all", "iterate"].map((name) =>
    watchCalls(prototype, name, (statement, values) => {
      seen({ sql: (statement as Statement).source, values });
    }),
  );
  return () => {
    for (const back of restore) back();
  };
}

/** Has every call of a method told before it is made; answers how to stop that. */
function watchCalls(
  prototype: object,
  name: string,
  tell: (self: unknown, given: unknown[]) => void,
): () => void {
  const original = Reflect.get(prototype, name) as (...given: unknown[]) => unknown;
  const watched = function (this: unknown, ...given: unknown[]): unknown {
    tell(this, given);
    return original.apply(this, given);
  };
  Reflect.set(prototype, name, watched);
  return () => void Reflect.set(prototype, name, original);
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + bytesOf(member), 0);
}
