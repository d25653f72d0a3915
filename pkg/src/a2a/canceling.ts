import type { TaskView } from "../tasks/view.js";

import { notCancelable } from "./errors.js";
import type { A2AHost } from "./host.js";
import { requireTask, whileTaskIsThere, type FoundTask } from "./task-lookup.js";
import { isAtRest } from "./tasks.js";

/**
 * Cancels a task: the run in flight by the host's own cancellation, a paused one by the one second end
 * that a run can have.
 *
 * @throws -32001, and -32002 for a task that has ended, also one that ends before it is cancelled
 */
export async function cancelTask(host: A2AHost, taskId: string): Promise<TaskView> {
  let found = await requireTask(host, taskId);
  for (;;) {
    await cancelRunOf(host, found);
    const after = await requireTask(host, taskId);
    if (after.view.state === "canceled") return after.view;
    // It may have paused before it could be stopped, or have been answered before it was given up.
    if (isUnchanged(found, after)) throw notCancelable(after.view.state);
    found = after;
  }
}

async function cancelRunOf(host: A2AHost, { run: { run_id }, view }: FoundTask): Promise<void> {
  if (!isAtRest(view)) {
    await whileTaskIsThere(host, run_id, host.cancel(run_id));
    return;
  }
  if (view.state !== "input-required" || !host.cancelPaused) throw notCancelable(view.state);
  await whileTaskIsThere(host, run_id, host.cancelPaused(run_id));
}

function isUnchanged(before: FoundTask, after: FoundTask): boolean {
  return before.run.run_id === after.run.run_id && before.view.state === after.view.state;
}
