/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";
import type { ResultMethods } from "skein-results";

import {
  INFLIGHT_RUN_STATUSES,
  isInflightRunStatus,
  SkeinHttpError,
  type FinalizedRun,
  type NewThread,
  type Run,
  type RunCreate,
  type RunFinalization,
  type RunOnNewThread,
  type RunRepo,
} from "../contract.js";
import { newRun, now, threadOfRun } from "../new-rows.js";
import { kwargsOf, RUN_FIELDS, runOf, type KwargsRow, type RunRow } from "../sql-rows.js";
import { lookupId, requireStorableId } from "../storable.js";

import { sqliteAssistantById } from "./assistants.js";
import { namedParameters, RUN_COLUMNS } from "./columns.js";
import { inserting } from "./conflicts.js";
import type { InsertDelivery } from "./deliveries.js";
import { sqliteThreadInsert } from "./threads.js";

/** What an SQLite store's runs are built from. */
export interface SqliteRunsOptions {
  maxPageSize: number;
  /** The package's methods over the same table. */
  results: ResultMethods;
  insertDelivery: InsertDelivery;
}

/** As literals, so that the planner sees that the partial index serves the query. */
const INFLIGHT = INFLIGHT_RUN_STATUSES.map((status) => `'${status}'`).join(", ");

type Parameters = Record<string, string | number | null>;

export function sqliteRuns(database: Database, options: SqliteRunsOptions): RunRepo {
  const { maxPageSize, results, insertDelivery } = options;
  const select = (rest: string) =>
    database.prepare<[Parameters], RunRow>(`SELECT ${RUN_COLUMNS} FROM runs ${rest}`);

  const byId = select("WHERE run_id = @run_id");
  const byThread = select(
    `WHERE thread_id = @thread_id AND (@status IS NULL OR status = @status)
     ORDER BY seq LIMIT @limit OFFSET @offset`,
  );
  const latest = select("WHERE thread_id = @thread_id ORDER BY seq DESC LIMIT 1");
  const active = select(`WHERE status IN (${INFLIGHT}) ORDER BY seq LIMIT @limit`);
  const activeOnThread = select(
    `WHERE thread_id = @thread_id AND status IN (${INFLIGHT}) ORDER BY seq LIMIT @limit`,
  );
  const threadExists = database.prepare<[Parameters], 1>(
    "SELECT 1 FROM threads WHERE thread_id = @thread_id",
  );
  const kwargs = database.prepare<[Parameters], KwargsRow>(
    "SELECT kwargs, base_checkpoint FROM runs WHERE run_id = @run_id",
  );
  const insertRow = database.prepare<[Parameters]>(
    `INSERT INTO runs (${RUN_COLUMNS}, kwargs) VALUES (${namedParameters(RUN_FIELDS)}, @kwargs)`,
  );
  const writeStatus = database.prepare<[Parameters], RunRow>(
    `UPDATE runs SET status = @status, error = @error, updated_at = @at
      WHERE run_id = @run_id RETURNING ${RUN_COLUMNS}`,
  );
  const writeBaseCheckpoint = database.prepare<[Parameters]>(
    "UPDATE runs SET base_checkpoint = @base_checkpoint WHERE run_id = @run_id",
  );
  const remove = database.prepare<[Parameters]>("DELETE FROM runs WHERE run_id = @run_id");

  const insert = (input: RunCreate): Run => {
    const run = newRun(input);
    inserting(run.run_id, run.thread_id, () =>
      insertRow.run({
        run_id: run.run_id,
        thread_id: run.thread_id,
        assistant_id: run.assistant_id,
        status: run.status,
        metadata: JSON.stringify(run.metadata),
        multitask_strategy: run.multitask_strategy ?? null,
        error: null,
        created_at: run.created_at,
        updated_at: run.updated_at,
        kwargs: input.kwargs === undefined ? null : JSON.stringify(input.kwargs),
      }),
    );
    return run;
  };
  const isActive = (threadId: string): boolean =>
    activeOnThread.get({ thread_id: lookupId(threadId), limit: 1 }) !== undefined;
  const createIfIdle = database.transaction((input: RunCreate): Run | null => {
    const exists = threadExists.get({ thread_id: lookupId(input.thread_id) }) !== undefined;
    return exists && !isActive(input.thread_id) ? insert(input) : null;
  });
  const insertThread = sqliteThreadInsert(database);
  const assistantById = sqliteAssistantById(database);
  const createOnNew = database.transaction(
    (input: RunCreate, thread: NewThread): RunOnNewThread | null => {
      const assistantId = requireStorableId(input.assistant_id, "assistant_id");
      const assistant = assistantById(assistantId);
      if (!assistant) throw SkeinHttpError.notFound(`Assistant "${assistantId}" not found.`);
      if (threadExists.get({ thread_id: lookupId(input.thread_id) })) return null;
      insertThread(threadOfRun(input, thread, assistant));
      return { run: insert(input), assistant };
    },
  );
  const finalize = database.transaction((runId: string, final: RunFinalization): FinalizedRun => {
    const { status, error, delivery } = final;
    const row = byId.get({ run_id: lookupId(runId) });
    if (!row) return { run: null, delivery: insertDelivery(runId, status, delivery) };
    const written = isInflightRunStatus(row.status)
      ? (writeStatus.get({
          run_id: runId,
          status,
          error: error === undefined ? null : JSON.stringify(error),
          at: now(),
        }) ?? row)
      : row;
    return { run: runOf(written), delivery: insertDelivery(runId, written.status, delivery) };
  });
  const one = (row: RunRow | undefined): Run | null => (row ? runOf(row) : null);

  return {
    ...results,

    get: async (runId) => one(byId.get({ run_id: lookupId(runId) })),
    listByThread: async (threadId, query = {}) =>
      byThread
        .all({
          thread_id: lookupId(threadId),
          status: query.status ?? null,
          // SQLite's word for "all".
          limit: query.limit ?? -1,
          offset: query.offset ?? 0,
        })
        .map(runOf),
    create: async (input) => insert(input),
    createIfThreadIdle: async (input) => createIfIdle.immediate(input),
    createOnNewThread: async (input, thread = {}) => createOnNew.immediate(input, thread),
    createResume: async (input, pausedRunId) => {
      let run: Run | null = null;
      await results.admitResume?.(pausedRunId, () => {
        run = insert(input);
      });
      return run;
    },
    setStatus: async (runId, status, error) => {
      const row = writeStatus.get({
        run_id: lookupId(runId),
        status,
        error: error === undefined ? null : JSON.stringify(error),
        at: now(),
      });
      if (!row) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
      return runOf(row);
    },
    delete: async (runId) => {
      remove.run({ run_id: lookupId(runId) });
    },
    getKwargs: async (runId) => {
      const row = kwargs.get({ run_id: lookupId(runId) });
      return row ? kwargsOf(row) : null;
    },
    recordBaseCheckpoint: async (runId, baseCheckpointId) => {
      writeBaseCheckpoint.run({
        run_id: lookupId(runId),
        base_checkpoint: JSON.stringify(baseCheckpointId),
      });
    },
    hasActiveRun: async (threadId) => isActive(threadId),
    listActiveRuns: async (threadId) =>
      (threadId === undefined
        ? active.all({ limit: maxPageSize })
        : activeOnThread.all({ thread_id: lookupId(threadId), limit: maxPageSize })
      ).map(runOf),
    latestForThread: async (threadId) => one(latest.get({ thread_id: lookupId(threadId) })),
    finalizeWithDelivery: async (runId, final) => finalize.immediate(runId, final),
  };
}
