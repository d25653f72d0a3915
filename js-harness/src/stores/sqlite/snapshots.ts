/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";
import type { ImportedRun, ResultDriver } from "skein-results";

import type { SkeinStoreSnapshot, SnapshotStore } from "../contract.js";
import { atOnce, snapshotResults } from "../snapshot-results.js";
import {
  importedRuns,
  readSnapshot,
  SNAPSHOT_VERSION,
  type SnapshotRows,
} from "../snapshot-rows.js";
import {
  ASSISTANT_FIELDS,
  assistantOf,
  kwargsOf,
  runOf,
  THREAD_FIELDS,
  threadOf,
  type AssistantRow,
  type KwargsRow,
  type RunRow,
  type ThreadRow,
} from "../sql-rows.js";

import { ASSISTANT_COLUMNS, namedParameters, RUN_COLUMNS, THREAD_COLUMNS } from "./columns.js";
import { sqliteRunInsert } from "./run-inserts.js";

/** Saving and loading an SQLite store; each step is one transaction. */
export function sqliteSnapshots(
  database: Database,
  driver: Required<ResultDriver>,
): Pick<SnapshotStore, "snapshot" | "restore"> {
  const assistants = database.prepare<[], AssistantRow>(
    `SELECT ${ASSISTANT_COLUMNS} FROM assistants ORDER BY created_at, assistant_id`,
  );
  const threads = database.prepare<[], ThreadRow>(
    `SELECT ${THREAD_COLUMNS} FROM threads ORDER BY created_at, thread_id`,
  );
  const runs = database.prepare<[], RunRow & KwargsRow>(
    `SELECT ${RUN_COLUMNS}, kwargs, base_checkpoint FROM runs ORDER BY seq`,
  );
  const read = database.transaction(() => {
    const stored = runs.all().map(({ kwargs, base_checkpoint, ...run }) => ({
      run: runOf(run),
      kwargs: kwargsOf({ kwargs, base_checkpoint }),
    }));
    const rows: SkeinStoreSnapshot = {
      version: SNAPSHOT_VERSION,
      assistants: assistants.all().map((row) => [row.assistant_id, assistantOf(row)]),
      threads: threads.all().map((row) => [row.thread_id, threadOf(row)]),
      runs: stored.map(({ run }) => [run.run_id, run]),
      runKwargs: stored.flatMap(({ run, kwargs }) => (kwargs ? [[run.run_id, kwargs]] : [])),
    };
    const results = atOnce(driver.readMany(stored.map(({ run }) => run.run_id)));
    return { rows, results };
  });

  const restore = restoring(database, driver);
  return {
    snapshot: async () => {
      const { rows, results } = read();
      return { ...rows, results: await snapshotResults(results) };
    },
    restore: async (snapshot) => restore(readSnapshot(snapshot)),
  };
}

function restoring(
  database: Database,
  driver: Required<ResultDriver>,
): (rows: SnapshotRows) => void {
  const insertAssistant = database.prepare<[object]>(
    `INSERT INTO assistants (${ASSISTANT_COLUMNS}) VALUES (${namedParameters(ASSISTANT_FIELDS)})
     ON CONFLICT (assistant_id) DO NOTHING`,
  );
  const insertThread = database.prepare<[object]>(
    `INSERT INTO threads (${THREAD_COLUMNS}) VALUES (${namedParameters(THREAD_FIELDS)})
     ON CONFLICT (thread_id) DO NOTHING`,
  );
  const insertRun = sqliteRunInsert(database);
  const threadExists = database
    .prepare<[string], number>("SELECT 1 FROM threads WHERE thread_id = ?")
    .pluck();
  const existing = database.prepare<[string], KwargsRow & { thread_id: string }>(
    "SELECT thread_id, kwargs, base_checkpoint FROM runs WHERE run_id = ?",
  );
  const existingRun = (runId: string): ImportedRun | null => {
    const row = existing.get(runId);
    return row ? { runId, threadId: row.thread_id, kwargs: kwargsOf(row) ?? {} } : null;
  };

  const restore = database.transaction((rows: SnapshotRows) => {
    for (const row of rows.assistants) {
      insertAssistant.run({
        ...row,
        description: row.description ?? null,
        config: JSON.stringify(row.config),
        context: JSON.stringify(row.context),
        metadata: JSON.stringify(row.metadata),
      });
    }
    for (const row of rows.threads) {
      insertThread.run({
        ...row,
        metadata: JSON.stringify(row.metadata),
        values: JSON.stringify(row.values),
        interrupts: JSON.stringify(row.interrupts),
        error: row.error === undefined ? null : JSON.stringify(row.error),
      });
    }
    const isThere = (threadId: string) => threadExists.get(threadId) !== undefined;
    for (const stored of importedRuns(rows, isThere, existingRun)) insertRun(stored);
    // The driver itself, since the transaction ends with this function.
    atOnce(driver.attachMany(rows.results));
  });
  return (rows) => restore.immediate(rows);
}
