import type { AbortReason } from "./cancellation.js";
import type { Engine } from "./engine.js";
import type { RunQueue } from "./run-queue.js";

/**
 * Stops whatever this process does for a run: it leaves the queue if it waits there, and its graph is
 * aborted if it executes. The row is the caller's business.
 *
 * @returns whether the run was waiting, and will not be executed
 */
export function stopRun(
  engine: Engine,
  queue: RunQueue,
  runId: string,
  reason: AbortReason,
): boolean {
  const withdrawn = queue.withdraw(runId);
  // What executes closes its own stream, after its last frame.
  if (!engine.controls.abort(runId, reason)) engine.bus.close(runId);
  return withdrawn;
}
