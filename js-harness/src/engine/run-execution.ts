// The way every run takes to its execution, from the queue: claim the thread, execute, announce, clean
// up.

import type { Assistant, Run } from "../stores/contract.js";

import { startRun } from "./begin.js";
import type { RunControl } from "./cancellation.js";
import type { Engine } from "./engine.js";
import { executeRun, type RunExecution } from "./execute.js";
import type { RunOutcome } from "./outcome.js";
import { toRunError } from "./run-error.js";
import { RunSettler } from "./settle.js";
import { withThreadExecution } from "./thread-execution.js";

/**
 * Executes a run that was admitted, given its row and perhaps its assistant of then. Null for one that was not executed: it is gone, or
 * the host closes.
 */
export async function executeQueuedRun(
  engine: Engine,
  run: Run,
  assistant?: Assistant,
): Promise<RunOutcome | null> {
  // Before the thread is claimed, so that a run can be stopped while it waits for the claim.
  const control = engine.controls.register(run.run_id);
  const noLonger = engine.endings.expect(run.run_id);
  const { executionLocks, gate } = engine;
  const attempt: { execution?: RunExecution } = {};
  try {
    return await withThreadExecution(executionLocks, gate, run.thread_id, async () => {
      const start = startRun(engine, { run, assistant, control });
      try {
        attempt.execution = await readExecution(engine, run, control);
        return await executeRun(engine, attempt.execution, start);
      } finally {
        await start;
      }
    });
  } catch (error) {
    attempt.execution ??= await readExecution(engine, run, control);
    return await endUnexecuted(engine, attempt.execution, error);
  } finally {
    engine.controls.clear(run.run_id);
    noLonger();
    // Outside the claim: a receiver that answers slowly must not hold up the thread.
    if (attempt.execution) await afterExecution(engine, attempt.execution);
  }
}

/**
 * The kwargs are read under the claim: another process may have gone a part of the way while the run waited
 * for it, and has noted so there.
 */
async function readExecution(engine: Engine, run: Run, control: RunControl): Promise<RunExecution> {
  const kwargs = (await engine.store.runs.getKwargs(run.run_id)) ?? {};
  return { run, kwargs, control, settler: new RunSettler(engine, run, kwargs) };
}

/** The thread could not be claimed, or the run's end could not be written. It is tried once more. */
async function endUnexecuted(
  engine: Engine,
  { run, settler }: RunExecution,
  thrown: unknown,
): Promise<RunOutcome> {
  const error = toRunError(thrown);
  const status = await settler.settle({ end: "stopped", status: "error", error });
  engine.log(`Run ${run.run_id} could not be executed: ${error.message}`, thrown);
  engine.bus.close(run.run_id);
  return { status, ...(status === "error" ? { error } : {}) };
}

async function afterExecution(
  engine: Engine,
  { run, kwargs, settler }: RunExecution,
): Promise<void> {
  if (settler.deliveryId) await engine.deliveries.attempt(settler.deliveryId);
  if (kwargs.delete_thread_on_completion) await deleteThreadOf(engine, run);
}

/**
 * Deletes the thread that the server made for a run, once the run has ended. A run that waits for an
 * answer keeps it: its checkpoint is all there is of the turn.
 */
export async function deleteThreadOf(engine: Engine, run: Run): Promise<void> {
  const { store, saver, executionLocks, gate } = engine;
  try {
    const ended = await store.runs.get(run.run_id);
    if (ended?.status === "interrupted") return;
    await withThreadExecution(executionLocks, gate, run.thread_id, async () => {
      await saver.deleteThread(run.thread_id);
      await store.threads.delete(run.thread_id);
    });
  } catch (error) {
    engine.log(`Thread ${run.thread_id} was made for one run and could not be deleted.`, error);
  }
}
