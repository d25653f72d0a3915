// The way every run takes to its execution, from the queue: claim the thread, execute, announce, clean
// up.

import type { Run } from "../stores/contract.js";

import type { RunControl } from "./cancellation.js";
import type { Engine } from "./engine.js";
import { executeRun, type RunExecution } from "./execute.js";
import type { RunOutcome } from "./outcome.js";
import { toRunError } from "./run-error.js";
import { RunSettler } from "./settle.js";
import { withThreadExecution } from "./thread-execution.js";

/** Executes a queued run. Null for one that was not executed: it is gone, or the host closes. */
export async function executeQueuedRun(
  engine: Engine,
  runId: string,
  threadId: string,
): Promise<RunOutcome | null> {
  // Before the thread is claimed, so that a run can be stopped while it waits for the claim.
  const control = engine.controls.register(runId);
  const { executionLocks, gate } = engine;
  const read = (): Promise<RunExecution | null> => readExecution(engine, runId, control);
  let attempted: Promise<RunExecution | null> | undefined;
  try {
    return await withThreadExecution(executionLocks, gate, threadId, async () => {
      // Not before the claim: another process may have gone a part of the way meanwhile.
      const execution = await (attempted = read());
      return execution && (await executeRun(engine, execution));
    });
  } catch (error) {
    const execution = (await attempted?.catch(() => null)) ?? (await (attempted = read()));
    return execution && (await endUnexecuted(engine, execution, error));
  } finally {
    engine.controls.clear(runId);
    const execution = await attempted?.catch(() => null);
    // Outside the claim: a receiver that answers slowly must not hold up the thread.
    if (execution) await afterExecution(engine, execution);
  }
}

async function readExecution(
  engine: Engine,
  runId: string,
  control: RunControl,
): Promise<RunExecution | null> {
  const { runs } = engine.store;
  const [run, stored] = await Promise.all([runs.get(runId), runs.getKwargs(runId)]);
  if (!run) return null;
  const kwargs = stored ?? {};
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
