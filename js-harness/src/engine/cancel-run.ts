import { isTerminalRunStatus } from "skein-results";

import { SkeinHttpError, type Run } from "../stores/contract.js";
import { checkpointRows } from "../threads/checkpoint-pruning/checkpoint-rows.js";
import { revertToCheckpoint } from "../threads/checkpoint-pruning/revert.js";

import { cancelInStore } from "./cancellation.js";
import type { Engine } from "./engine.js";
import { baseCheckpointOf } from "./rollback-plan.js";
import { deleteThreadOf } from "./run-execution.js";
import type { RunQueue } from "./run-queue.js";
import { stopRun } from "./stop-run.js";
import { withThreadExecution } from "./thread-execution.js";
import { mirrorStatus } from "./thread-mirror.js";

export interface CancelOptions {
  /** Answer only when the run has stopped executing. */
  wait?: boolean;
  /**
   * `rollback` also takes back the checkpoints that the run wrote, and deletes its row with its
   * result. @defaultValue `"interrupt"`
   */
  action?: "interrupt" | "rollback";
}

/**
 * Cancels a run that is in flight; a run that has ended stays as it is.
 *
 * The row is written first and the engine stopped next: whoever reads the row from then on reads
 * `cancelled`, however long the graph takes to let go.
 *
 * @throws 404
 */
export async function cancelRun(
  engine: Engine,
  queue: RunQueue,
  runId: string,
  { wait = false, action = "interrupt" }: CancelOptions,
): Promise<Run> {
  const { runs, threads } = engine.store;
  const run = await runs.get(runId);
  if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
  if (isTerminalRunStatus(run.status)) return run;

  const answer = await engine.startLocks.run(runId, () => cancelInStore(runs, runId));
  if (answer?.won) {
    const reason = action === "rollback" ? "rollback" : "cancel";
    const withdrawn = stopRun(engine, queue, runId, reason);
    await mirrorStatus(threads, run.thread_id, "idle");
    engine.endings.announce(runId);
    if (action === "rollback") await rollBack(engine, run);
    else if (wait) await untilThreadIsFree(engine, run.thread_id);
    if (withdrawn) await deleteOwnedThread(engine, run);
  }
  return (await runs.get(runId)) ?? { ...run, status: "cancelled" };
}

/** The claim is held by the run that is being stopped until it has stopped. */
function untilThreadIsFree({ executionLocks, gate }: Engine, threadId: string): Promise<void> {
  return withThreadExecution(executionLocks, gate, threadId, () => Promise.resolve());
}

/**
 * A run that noted no base checkpoint has written nothing, and nothing is taken back. The row goes
 * last, so that what could not be undone is still explained by it.
 */
async function rollBack(engine: Engine, run: Run): Promise<void> {
  const { store, saver, executionLocks, gate } = engine;
  await withThreadExecution(executionLocks, gate, run.thread_id, async () => {
    const base = await baseCheckpointOf(store.runs, run.run_id);
    if (base) {
      await revertToCheckpoint(checkpointRows(saver), run.thread_id, base.base_checkpoint_id);
    }
    await store.runs.delete(run.run_id);
  });
  engine.endings.announce(run.run_id);
}

/** A run that never executed leaves the thread that was made for it; no execution will delete it. */
async function deleteOwnedThread(engine: Engine, run: Run): Promise<void> {
  const kwargs = await engine.store.runs.getKwargs(run.run_id);
  if (kwargs?.delete_thread_on_completion) await deleteThreadOf(engine, run);
}
