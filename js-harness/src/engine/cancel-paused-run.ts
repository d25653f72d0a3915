import { SkeinHttpError, type Run } from "../stores/contract.js";

import type { Engine } from "./engine.js";
import { withThreadExecution } from "./thread-execution.js";
import { mirrorStatus } from "./thread-mirror.js";

/**
 * Cancels a paused task's last run, under the claim that an answer to it takes, so that one of the two
 * wins. A run that is not paused any more stays as it is.
 *
 * @throws 404
 */
export async function cancelPausedRun(engine: Engine, runId: string): Promise<Run> {
  const { store, executionLocks, gate, endings } = engine;
  const run = await store.runs.get(runId);
  if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
  // The claim is that of a run that has gone on from the pause, for as long as it works.
  if (await isAtWork(engine, run)) return run;
  await withThreadExecution(executionLocks, gate, run.thread_id, async () => {
    const ended = await store.runs.cancelPausedRun?.(runId);
    if (ended?.won) await mirrorStatus(store.threads, run.thread_id, "idle");
  });
  endings.announce(runId);
  return (await store.runs.get(runId)) ?? run;
}

async function isAtWork({ store }: Engine, { thread_id }: Run): Promise<boolean> {
  const inFlight = await store.runs.listActiveRuns(thread_id);
  return inFlight.some(({ status }) => status === "running");
}
