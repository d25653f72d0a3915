/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import { copiedCheckpoint, type ResultDriver } from "skein-results";

import { SkeinHttpError, type ThreadRepo } from "../contract.js";
import { now } from "../new-rows.js";
import { copiedRuns } from "../run-copies.js";
import { atOnce } from "../snapshot-results.js";

import type { MemoryTables } from "./tables.js";

/** @param eraseRun deletes a run with all that belongs to it */
export function memoryThreadCopy(
  tables: MemoryTables,
  driver: Required<ResultDriver>,
  eraseRun: (runId: string) => void,
): NonNullable<ThreadRepo["copyWithRuns"]> {
  // No `await` in here: nobody sees a copy that is half made, or one that is being taken back.
  return async (sourceThread, { thread_id: targetThread, run_ids }) => {
    const source = tables.threads.get(sourceThread);
    if (!source) throw SkeinHttpError.notFound(`Thread "${sourceThread}" not found.`);
    if (tables.threads.has(targetThread)) {
      throw SkeinHttpError.conflict(`Thread "${targetThread}" exists already.`);
    }
    const asked = new Set(run_ids);
    const sources = [...tables.runs.values()]
      .filter((run) => run.thread_id === sourceThread && asked.has(run.run_id))
      .map((run) => ({ run, kwargs: tables.runKwargs.get(run.run_id) ?? null }));
    const { runs, copies } = copiedRuns(structuredClone(sources), targetThread);
    const at = now();
    const copy = {
      ...structuredClone(source),
      thread_id: targetThread,
      status: source.status === "busy" ? ("idle" as const) : source.status,
      created_at: at,
      updated_at: at,
      state_updated_at: at,
    };
    for (const { run, kwargs } of runs) {
      tables.runs.set(run.run_id, run);
      if (kwargs) tables.runKwargs.set(run.run_id, kwargs);
    }
    try {
      atOnce(
        driver.copyMany(copies, (text) => copiedCheckpoint(text, { sourceThread, targetThread })),
      );
    } catch (error) {
      for (const { run } of runs) eraseRun(run.run_id);
      throw error;
    }
    tables.threads.set(targetThread, copy);
    return structuredClone(copy);
  };
}
