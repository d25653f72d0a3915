import type { TaskView } from "../task.js";

import { notCancelable, taskNotFound } from "./errors.js";
import type { A2AHost } from "./host.js";
import { requireTask, type FoundTask } from "./task-lookup.js";
import { isAtRest } from "./tasks.js";

/**
 * Cancels a task: the run in flight by the host's own cancellation, a paused one by the one second end
 * that a run can have.
 *
 * @throws -32001, and -32002 for a task that has ended, also one that ends before it is cancelled
 */
export async function cancelTask(host: A2AHost, taskId: string): Promise<TaskView> {
  let found = await requireTask(host, taskId);
  if (!isAtRest(found.view)) {
    await onRun(host, found, () => host.cancel(found.run.run_id));
    found = await requireTask(host, taskId);
    if (found.view.state === "canceled") return found.view;
  }
  // It may also have paused before it could be stopped.
  if (found.view.state !== "input-required" || !host.cancelPaused) {
    throw notCancelable(found.view.state);
  }
  await onRun(host, found, async () => host.cancelPaused?.(found.run.run_id));
  const { view } = await requireTask(host, taskId);
  if (view.state !== "canceled") throw notCancelable(view.state);
  return view;
}

async function onRun(
  host: A2AHost,
  { run }: FoundTask,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    // The run may have been deleted since it was looked for.
    if (await host.runs.get(run.run_id)) throw error;
    throw taskNotFound();
  }
}
