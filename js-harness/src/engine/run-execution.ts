// The way every run takes to its execution, from the queue: claim the thread, execute, announce, clean
// up.

import type { Run, RunKwargs } from "../stores/contract.js";

import { failedBy, startRun } from "./begin.js";
import type { RunControl } from "./cancellation.js";
import type { Engine } from "./engine.js";
import { executeRun, type RunExecution } from "./execute.js";
import type { RunOutcome } from "./outcome.js";
import { toRunError } from "./run-error.js";
import type { AdmittedRun } from "./run-queue.js";
import { RunSettler } from "./settle.js";
import { withThreadExecution } from "./thread-execution.js";

/**
 * Executes a run that was admitted, given its row and what is known since then. Null for one that was not
 * executed: it is gone, or the host closes.
 */
export async function executeQueuedRun(
  engine: Engine,
  run: Run,
  admitted: AdmittedRun = {},
): Promise<RunOutcome | null> {
  // Before the thread is claimed, so that a run can be stopped while it waits for the claim.
  const control = engine.controls.register(run.run_id);
  const noLonger = engine.endings.expect(run.run_id);
  const { executionLocks, gate } = engine;
  const read = (): Promise<RunExecution | null> => readExecution(engine, run, control);
  const unread = (): RunExecution => executionOf(engine, run, control, {});
  const attempt: { execution?: RunExecution | null } = {};
  try {
    return await withThreadExecution(executionLocks, gate, run.thread_id, async () => {
      const start = startRun(engine, { run, admitted, control });
      try {
        attempt.execution = await read().catch(read);
        return attempt.execution && (await executeRun(engine, attempt.execution, start));
      } catch (reason) {
        if (attempt.execution !== undefined) throw reason;
        // It may have started, and has to end: what is not known of it is no reason to leave it in flight.
        attempt.execution = unread();
        return await executeRun(engine, attempt.execution, start.then(failedBy(reason)));
      } finally {
        await start;
      }
    });
  } catch (error) {
    attempt.execution ??= await read().catch(unread);
    return attempt.execution && (await endUnexecuted(engine, attempt.execution, error));
  } finally {
    engine.controls.clear(run.run_id);
    noLonger();
    // Outside the claim: a receiver that answers slowly must not hold up the thread.
    if (attempt.execution) await afterExecution(engine, attempt.execution);
  }
}

/**
 * The kwargs are read under the claim: another process may have gone a part of the way while the run waited
 * for it, and has noted so there. Null for a run that is gone: without its kwargs it must not execute.
 */
async function readExecution(
  engine: Engine,
  run: Run,
  control: RunControl,
): Promise<RunExecution | null> {
  const { runs } = engine.store;
  const kwargs = await runs.getKwargs(run.run_id);
  if (kwargs === null && !(await runs.get(run.run_id))) return null;
  return executionOf(engine, run, control, kwargs ?? {});
}

function executionOf(
  engine: Engine,
  run: Run,
  control: RunControl,
  kwargs: RunKwargs,
): RunExecution {
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
