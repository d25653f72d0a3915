import type { Pool } from "pg";
import type { ResultMethods } from "skein-results";

import {
  INFLIGHT_RUN_STATUSES,
  isInflightRunStatus,
  SkeinHttpError,
  type FinalizedRun,
  type Run,
  type RunCreate,
  type RunError,
  type RunFinalization,
  type RunRepo,
  type RunStatus,
} from "../contract.js";
import { newRun, now } from "../new-rows.js";
import { kwargsOf, runOf, type KwargsRow, type RunRow } from "../sql-rows.js";
import { lookupId } from "../storable.js";

import { RUN_COLUMNS } from "./columns.js";
import { inTransaction, type Queryable } from "./connection.js";
import { insertDelivery } from "./deliveries.js";
import { inserting, insertRow } from "./insert.js";
import { runColumns } from "./run-inserts.js";
import { createRunOnNewThread } from "./runs-on-new-threads.js";

/** What a Postgres store's runs are built from. */
export interface PostgresRunsOptions {
  maxPageSize: number;
  /** The package's methods over the same table. */
  results: ResultMethods;
}

/** As literals, so that the planner sees that the partial index serves the query. */
const INFLIGHT = INFLIGHT_RUN_STATUSES.map((status) => `'${status}'`).join(", ");

export function postgresRuns(pool: Pool, options: PostgresRunsOptions): RunRepo {
  const { maxPageSize, results } = options;
  const list = (rest: string, parameters: unknown[]) => selectRuns(pool, rest, parameters);
  const first = async (rest: string, parameters: unknown[]) =>
    (await list(rest, parameters))[0] ?? null;

  return {
    ...results,

    get: (runId) => first("WHERE run_id = $1", [lookupId(runId)]),
    listByThread: (threadId, query = {}) =>
      list(
        `WHERE thread_id = $1 AND ($2::text IS NULL OR status = $2)
         ORDER BY seq LIMIT $3 OFFSET $4`,
        // NULL is Postgres' word for "all".
        [lookupId(threadId), query.status ?? null, query.limit ?? null, query.offset ?? 0],
      ),
    create: (input) => insertRun(pool, input),
    // The lock on the thread's row makes check and insert one step against every other connection. An
    // `INSERT ... WHERE NOT EXISTS` would not: two of them may each see an idle thread.
    createIfThreadIdle: (input) =>
      inTransaction(pool, async (client) => {
        const thread = await client.query("SELECT 1 FROM threads WHERE thread_id = $1 FOR UPDATE", [
          lookupId(input.thread_id),
        ]);
        if (thread.rows.length === 0 || (await hasActiveRun(client, input.thread_id))) return null;
        return insertRun(client, input);
      }),
    createOnNewThread: (input, thread = {}) => createRunOnNewThread(pool, input, thread),
    createResume: async (input, pausedRunId) => {
      let run: Run | null = null;
      await results.admitResume?.(pausedRunId, async (client) => {
        run = await insertRun(client as Queryable, input);
      });
      return run;
    },
    setStatus: async (runId, status, error) => {
      const run = await writeStatus(pool, runId, status, error);
      if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
      return run;
    },
    delete: async (runId) => {
      await pool.query("DELETE FROM runs WHERE run_id = $1", [lookupId(runId)]);
    },
    getKwargs: async (runId) => {
      const { rows } = await pool.query<KwargsRow>(
        `SELECT kwargs::text AS kwargs, base_checkpoint::text AS base_checkpoint
           FROM runs WHERE run_id = $1`,
        [lookupId(runId)],
      );
      return rows[0] ? kwargsOf(rows[0]) : null;
    },
    recordBaseCheckpoint: async (runId, baseCheckpointId) => {
      await pool.query("UPDATE runs SET base_checkpoint = $2 WHERE run_id = $1", [
        lookupId(runId),
        JSON.stringify(baseCheckpointId),
      ]);
    },
    hasActiveRun: (threadId) => hasActiveRun(pool, threadId),
    listActiveRuns: (threadId) =>
      threadId === undefined
        ? list(`WHERE status IN (${INFLIGHT}) ORDER BY seq LIMIT $1`, [maxPageSize])
        : list(`WHERE thread_id = $1 AND status IN (${INFLIGHT}) ORDER BY seq LIMIT $2`, [
            lookupId(threadId),
            maxPageSize,
          ]),
    latestForThread: (threadId) =>
      first("WHERE thread_id = $1 ORDER BY seq DESC LIMIT 1", [lookupId(threadId)]),
    finalizeWithDelivery: (runId, { status, error, delivery }: RunFinalization) =>
      inTransaction(pool, async (client): Promise<FinalizedRun> => {
        const [run = null] = await selectRuns(client, "WHERE run_id = $1 FOR UPDATE", [
          lookupId(runId),
        ]);
        const ended =
          run && isInflightRunStatus(run.status)
            ? await writeStatus(client, runId, status, error)
            : run;
        const effective = ended?.status ?? status;
        return {
          run: ended,
          delivery: await insertDelivery(client, runId, effective, delivery),
        };
      }),
  };
}

async function selectRuns(on: Queryable, rest: string, parameters: unknown[]): Promise<Run[]> {
  const { rows } = await on.query<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs ${rest}`, parameters);
  return rows.map(runOf);
}

async function insertRun(on: Queryable, input: RunCreate): Promise<Run> {
  const run = newRun(input);
  await inserting(run.run_id, run.thread_id, () => insertRow(on, "runs", runColumns(run, input)));
  return run;
}

async function writeStatus(
  on: Queryable,
  runId: string,
  status: RunStatus,
  error: RunError | undefined,
): Promise<Run | null> {
  const { rows } = await on.query<RunRow>(
    `UPDATE runs SET status = $2, error = $3, updated_at = $4
      WHERE run_id = $1 RETURNING ${RUN_COLUMNS}`,
    [lookupId(runId), status, error === undefined ? null : JSON.stringify(error), now()],
  );
  return rows[0] ? runOf(rows[0]) : null;
}

async function hasActiveRun(on: Queryable, threadId: string): Promise<boolean> {
  const { rows } = await on.query(
    `SELECT 1 FROM runs WHERE thread_id = $1 AND status IN (${INFLIGHT}) LIMIT 1`,
    [lookupId(threadId)],
  );
  return rows.length > 0;
}
