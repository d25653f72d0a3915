// What is really in a database, read past the store: every run, and which threads there is anything of.

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";
import type { ResultTexts, RunStatus } from "skein-results";

import type { RunKwargs } from "../stores/contract.js";

/** A run as its row holds it. */
export interface SeenRun {
  readonly run: string;
  readonly thread: string;
  readonly status: RunStatus;
  readonly kwargs: RunKwargs;
  readonly result: ResultTexts | null;
}

/** All that there is. */
export interface SeenRows {
  /** In the order of their creation. */
  readonly runs: readonly SeenRun[];
  readonly threads: ReadonlySet<string>;
  /** The threads that a saver holds anything of. */
  readonly saved: ReadonlySet<string>;
}

/** A connection of its own to a database. */
export interface Rows {
  read(): Promise<SeenRows>;
  close(): Promise<void>;
}

/** Where a host keeps its data. */
export interface DatabasePlace {
  kind: "sqlite" | "postgres";
  /** The path of the file, or the URL of the database. */
  at: string;
}

export function openRows({ kind, at }: DatabasePlace): Rows {
  return kind === "sqlite" ? sqliteRows(at) : postgresRows(at);
}

const RUNS = `SELECT run_id AS run, thread_id AS thread, status, CAST(kwargs AS text) AS kwargs,
  result_values AS "values", result_interrupts AS interrupts, result_reply AS reply,
  result_checkpoint AS checkpoint FROM runs ORDER BY seq`;
const THREADS = "SELECT thread_id AS thread FROM threads";
const SAVED = {
  sqlite: ["checkpoints", "writes"],
  postgres: ["checkpoints", "checkpoint_blobs", "checkpoint_writes"],
};

interface RunRow extends ResultTexts {
  run: string;
  thread: string;
  status: RunStatus;
  kwargs: string | null;
}

function sqliteRows(path: string): Rows {
  const database = new BetterSqlite3(path, { readonly: true, timeout: 30_000 });
  const all = <Row>(sql: string): Row[] => database.prepare<[], Row>(sql).all();
  const read = database.transaction(() =>
    seenRows(
      all<RunRow>(RUNS),
      all<{ thread: string }>(THREADS),
      SAVED.sqlite.flatMap((table) => all<{ thread: string }>(savedIn(table))),
    ),
  );
  return {
    read: () => Promise.resolve(read()),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}

function postgresRows(url: string): Rows {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => undefined);
  return {
    async read() {
      const client = await pool.connect();
      const all = async <Row extends { thread: string }>(sql: string) =>
        (await client.query<Row>(sql)).rows;
      try {
        // One moment for all tables.
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const runs = await all<RunRow>(RUNS);
        const threads = await all<{ thread: string }>(THREADS);
        const saved: { thread: string }[] = [];
        for (const table of SAVED.postgres)
          saved.push(...(await all<{ thread: string }>(savedIn(table))));
        await client.query("COMMIT");
        return seenRows(runs, threads, saved);
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

const savedIn = (table: string): string => `SELECT DISTINCT thread_id AS thread FROM ${table}`;

function seenRows(
  runs: RunRow[],
  threads: { thread: string }[],
  saved: { thread: string }[],
): SeenRows {
  return {
    runs: runs.map(({ run, thread, status, kwargs, ...texts }) => ({
      run,
      thread,
      status,
      kwargs: kwargs === null ? {} : (JSON.parse(kwargs) as RunKwargs),
      result: (texts.values as string | null) === null ? null : texts,
    })),
    threads: new Set(threads.map(({ thread }) => thread)),
    saved: new Set(saved.map(({ thread }) => thread)),
  };
}
