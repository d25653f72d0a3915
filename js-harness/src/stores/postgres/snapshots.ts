import type { Pool, PoolClient } from "pg";
import { readMark, type ImportedRun, type ResultMethods } from "skein-results";
import { postgresDriver } from "skein-results/postgres";

import type { SkeinStoreSnapshot, SnapshotStore } from "../contract.js";
import { snapshotResults } from "../snapshot-results.js";
import {
  importedRuns,
  readSnapshot,
  SNAPSHOT_VERSION,
  type SnapshotRows,
} from "../snapshot-rows.js";
import {
  assistantOf,
  kwargsOf,
  runOf,
  threadOf,
  type AssistantRow,
  type KwargsRow,
  type RunRow,
  type ThreadRow,
} from "../sql-rows.js";

import { ASSISTANT_COLUMNS, RUN_COLUMNS, THREAD_COLUMNS } from "./columns.js";
import { inTransaction, type Queryable } from "./connection.js";
import { insertRows } from "./insert.js";
import { insertRuns } from "./run-inserts.js";
import { THREAD_TYPES } from "./threads.js";

/** Saving and loading a Postgres store; each step is one transaction. */
export function postgresSnapshots(
  pool: Pool,
  results: ResultMethods,
): Pick<SnapshotStore, "snapshot" | "restore"> {
  return {
    snapshot: async () => {
      const { rows, results } = await inTransaction(pool, readRows);
      return { ...rows, results: await snapshotResults(results) };
    },
    restore: async (snapshot) => {
      const rows = readSnapshot(snapshot);
      await inTransaction(pool, async (client) => {
        await insertAbsent(client, rows);
        await results.attachResults(rows.results, client);
      });
    },
  };
}

async function readRows(client: PoolClient) {
  await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const assistants = await client.query<AssistantRow>(
    `SELECT ${ASSISTANT_COLUMNS} FROM assistants
      ORDER BY assistants.created_at, assistant_id COLLATE "C"`,
  );
  const threads = await client.query<ThreadRow>(
    `SELECT ${THREAD_COLUMNS} FROM threads ORDER BY threads.created_at, thread_id COLLATE "C"`,
  );
  const { rows: runs } = await client.query<RunRow & KwargsRow>(
    `SELECT ${RUN_COLUMNS}, kwargs::text AS kwargs, base_checkpoint::text AS base_checkpoint
       FROM runs ORDER BY seq`,
  );
  const stored = runs.map(({ kwargs, base_checkpoint, ...run }) => ({
    run: runOf(run),
    kwargs: kwargsOf({ kwargs, base_checkpoint }),
  }));
  const rows: SkeinStoreSnapshot = {
    version: SNAPSHOT_VERSION,
    assistants: assistants.rows.map((row) => [row.assistant_id, assistantOf(row)]),
    threads: threads.rows.map((row) => [row.thread_id, threadOf(row)]),
    runs: stored.map(({ run }) => [run.run_id, run]),
    runKwargs: stored.flatMap(({ run, kwargs }) => (kwargs ? [[run.run_id, kwargs]] : [])),
  };
  // On this client, and so of the same moment as the rows.
  const driver = postgresDriver({
    pool: {
      query: (sql: string, parameters?: unknown[]) => client.query(sql, parameters),
      connect: () => Promise.resolve(client),
    },
  });
  return { rows, results: await driver.readMany(stored.map(({ run }) => run.run_id)) };
}

async function insertAbsent(client: PoolClient, rows: SnapshotRows): Promise<void> {
  await insertRows(client, "assistants", ASSISTANT_TYPES, rows.assistants, (row) => ({
    ...row,
    description: row.description ?? null,
    config: JSON.stringify(row.config),
    context: JSON.stringify(row.context),
    metadata: JSON.stringify(row.metadata),
    version: String(row.version),
  }));
  await insertRows(client, "threads", THREAD_TYPES, rows.threads, (row) => ({
    thread_id: row.thread_id,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at,
    metadata: JSON.stringify(row.metadata),
    values: JSON.stringify(row.values),
    interrupts: JSON.stringify(row.interrupts),
    error: row.error === undefined ? null : JSON.stringify(row.error),
  }));
  const threads = await existingThreads(client, rows);
  const existing = await existingRuns(client, rows);
  await insertRuns(
    client,
    importedRuns(
      rows,
      (threadId) => threads.has(threadId),
      (runId) => existing.get(runId) ?? null,
    ),
  );
}

/** Locked, so that a thread which is deleted meanwhile does not fail the import. */
async function existingThreads(on: Queryable, { runs }: SnapshotRows): Promise<Set<string>> {
  const { rows } = await on.query<{ thread_id: string }>(
    "SELECT thread_id FROM threads WHERE thread_id = ANY ($1::text[]) FOR KEY SHARE",
    [[...new Set(runs.map(({ thread_id }) => thread_id))]],
  );
  return new Set(rows.map(({ thread_id }) => thread_id));
}

/** The runs that are there under the ids of the import, and under the task ids that its marks name. */
async function existingRuns(
  on: Queryable,
  { runs, runKwargs }: SnapshotRows,
): Promise<Map<string, ImportedRun>> {
  const roots = [...runKwargs.values()].flatMap((kwargs) => readMark(kwargs)?.root ?? []);
  const { rows } = await on.query<KwargsRow & { run_id: string; thread_id: string }>(
    `SELECT run_id, thread_id, kwargs::text AS kwargs, base_checkpoint::text AS base_checkpoint
       FROM runs WHERE run_id = ANY ($1::text[])`,
    [[...runs.map(({ run_id }) => run_id), ...roots.filter((root) => !root.includes("\0"))]],
  );
  return new Map(
    rows.map((row) => [
      row.run_id,
      { runId: row.run_id, threadId: row.thread_id, kwargs: kwargsOf(row) ?? {} },
    ]),
  );
}

const ASSISTANT_TYPES = {
  assistant_id: "text",
  graph_id: "text",
  name: "text",
  description: "text",
  config: "json",
  context: "json",
  metadata: "jsonb",
  version: "integer",
  created_at: "timestamptz",
  updated_at: "timestamptz",
};
