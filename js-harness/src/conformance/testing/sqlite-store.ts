// The package's SQLite driver on a real file, in a host of two tables.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Database from "better-sqlite3";
import { resultMethods } from "skein-results";
import type { NewRun, RunRow, StoreUnderTest } from "skein-results/conformance";
import { sqliteDriver, sqliteMigrations, sqliteTaskMigrations } from "skein-results/sqlite";

import {
  hostStatements,
  hostTables,
  migrationsUnder,
  runParameters,
  systemClock,
  USUAL_NAMES,
  type Clock,
  type TableNames,
} from "./run-tables.js";

const TYPES = { order: "integer PRIMARY KEY AUTOINCREMENT", time: "text", metadata: "text" };

/** Opens a store in a new file, which goes with it. */
export async function openSqliteDriver(
  names: TableNames = USUAL_NAMES,
  clock = systemClock,
): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "skein-conformance-"));
  const path = join(folder, "runs.db");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.exec(hostTables(names, TYPES));
  const migrations = [...sqliteMigrations, ...sqliteTaskMigrations];
  for (const up of migrationsUnder(names, migrations)) database.exec(up);
  database.close();
  return storeIn({ path, names, clock }, () => rm(folder, { recursive: true }));
}

interface SqlitePlace {
  path: string;
  names: TableNames;
  clock: Clock;
}

function storeIn(place: SqlitePlace, removed: () => Promise<void>): StoreUnderTest {
  const { path, names, clock } = place;
  const database = new Database(path);
  // Power may fail, and these tests do not: without the wait for the disk they take a tenth of the time.
  database.pragma("synchronous = OFF");
  database.pragma("foreign_keys = ON");
  const sql = hostStatements(names, () => "?");
  const run = (statement: string, ...parameters: string[]): void => {
    database.prepare(statement).run(parameters);
  };
  const now = () => clock().toISOString();
  const createRun = (created: NewRun) => run(sql.createRun, ...runParameters(created, now()));

  return {
    runs: resultMethods(sqliteDriver({ database, ...names }), { clock }),
    createThread: (threadId) => run(sql.createThread, threadId),
    createRun,
    createRunIn: (_transaction, created) => createRun(created),
    setStatus: (runId, status) => run(sql.setStatus, status, now(), runId),
    deleteRun: (runId) => run(sql.deleteRun, runId),
    deleteThread: (threadId) => run(sql.deleteThread, threadId),
    getRun: (runId) => (database.prepare(sql.getRun).get(runId) as RunRow | undefined) ?? null,
    transaction: async (work) => {
      database.exec("BEGIN IMMEDIATE");
      try {
        await work({ handle: undefined, createRun });
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    connect: () => storeIn(place, async () => {}),
    reopen: () => {
      database.close();
      return storeIn(place, removed);
    },
    close: () => {
      database.close();
      return removed();
    },
  };
}
