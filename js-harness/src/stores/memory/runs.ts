/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { ResultMethods } from "skein-results";

import {
  isInflightRunStatus,
  SkeinHttpError,
  type Run,
  type RunCreate,
  type RunError,
  type RunRepo,
  type RunStatus,
  type ThreadCreate,
} from "../contract.js";
import { newRun, now, threadOfRun } from "../new-rows.js";
import { jsonCopy, requireStorableId } from "../storable.js";

import { insertDelivery } from "./deliveries.js";
import { copyOf, copyPage, type MemoryTables } from "./tables.js";
import { insertThread } from "./threads.js";

/** What a memory store's runs are built from. */
export interface MemoryRunsOptions {
  maxPageSize: number;
  /** The package's methods over the same map of runs. */
  results: ResultMethods;
  /** Deletes a run with all that belongs to it. */
  eraseRun: (runId: string) => void;
}

/**
 * Each method does all its reading and writing in one turn of the event loop. That is what makes it
 * atomic here: an `await` between a check and its write would open the race it closes.
 */
export function memoryRuns(tables: MemoryTables, options: MemoryRunsOptions): RunRepo {
  const { maxPageSize, results, eraseRun } = options;

  const insert = (input: RunCreate, newThread?: ThreadCreate): Run => {
    const run = newRun(input);
    // Everything that may be refused comes before the thread, which would stay otherwise.
    const kwargs = input.kwargs === undefined ? undefined : jsonCopy(input.kwargs);
    if (newThread) insertThread(tables, newThread);
    if (!tables.threads.has(run.thread_id)) {
      throw SkeinHttpError.notFound(`Thread "${run.thread_id}" not found.`);
    }
    // An id that exists is written over, and nothing of the old run may show through the new one.
    eraseRun(run.run_id);
    tables.runs.set(run.run_id, run);
    if (kwargs !== undefined) tables.runKwargs.set(run.run_id, kwargs);
    return structuredClone(run);
  };
  const writeStatus = (run: Run, status: RunStatus, error: RunError | undefined): Run => {
    const { error: earlier, ...rest } = run;
    const written: Run = {
      ...rest,
      status,
      updated_at: now(),
      ...(error === undefined ? {} : { error: jsonCopy(error) }),
    };
    tables.runs.set(run.run_id, written);
    return structuredClone(written);
  };
  const select = (matches: (run: Run) => boolean): Run[] =>
    [...tables.runs.values()].filter(matches);
  const isActiveOn = (threadId: string) => (run: Run) =>
    run.thread_id === threadId && isInflightRunStatus(run.status);

  return {
    ...results,

    get: async (runId) => copyOf(tables.runs.get(runId)),
    listByThread: async (threadId, query = {}) => {
      const runs = select(
        (run) =>
          run.thread_id === threadId && (query.status === undefined || run.status === query.status),
      );
      return copyPage(runs, query.offset, query.limit ?? runs.length);
    },
    create: async (input) => insert(input),
    createIfThreadIdle: async (input) => {
      const idle =
        tables.threads.has(input.thread_id) && !select(isActiveOn(input.thread_id)).length;
      return idle ? insert(input) : null;
    },
    createOnNewThread: async (input, thread = {}) => {
      const assistantId = requireStorableId(input.assistant_id, "assistant_id");
      const assistant = tables.assistants.get(assistantId);
      if (!assistant) throw SkeinHttpError.notFound(`Assistant "${assistantId}" not found.`);
      if (tables.threads.has(input.thread_id)) return null;
      const run = insert(input, threadOfRun(input, thread, assistant));
      return { run, assistant: structuredClone(assistant) };
    },
    createResume: async (input, pausedRunId) => {
      let run: Run | null = null;
      await results.admitResume?.(pausedRunId, () => {
        run = insert(input);
      });
      return run;
    },
    setStatus: async (runId, status, error) => {
      const run = tables.runs.get(runId);
      if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
      return writeStatus(run, status, error);
    },
    delete: async (runId) => eraseRun(runId),
    getKwargs: async (runId) => copyOf(tables.runKwargs.get(runId)),
    recordBaseCheckpoint: async (runId, baseCheckpointId) => {
      if (!tables.runs.has(runId)) return;
      const kwargs = tables.runKwargs.get(runId);
      tables.runKwargs.set(runId, { ...kwargs, base_checkpoint_id: baseCheckpointId });
    },
    hasActiveRun: async (threadId) => select(isActiveOn(threadId)).length > 0,
    listActiveRuns: async (threadId) => {
      const active =
        threadId === undefined
          ? select((run) => isInflightRunStatus(run.status))
          : select(isActiveOn(threadId));
      return copyPage(active, 0, maxPageSize);
    },
    latestForThread: async (threadId) => copyOf(select((run) => run.thread_id === threadId).at(-1)),
    finalizeWithDelivery: async (runId, { status, error, delivery }) => {
      const run = tables.runs.get(runId);
      const inflight = run !== undefined && isInflightRunStatus(run.status);
      const inserted = insertDelivery(
        tables,
        runId,
        run === undefined || inflight ? status : run.status,
        delivery,
      );
      if (run === undefined) return { run: null, delivery: inserted };
      return {
        run: inflight ? writeStatus(run, status, error) : structuredClone(run),
        delivery: inserted,
      };
    },
  };
}
