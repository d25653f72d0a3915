import { readMark } from "../mark.js";
import type { RunResult } from "../run-result.js";
import { renderTask, type TaskRun, type TaskView } from "../task.js";

import { malformed, taskNotFound } from "./errors.js";
import type { A2AHost } from "./host.js";

/** A task, and the run that it is the view of. */
export interface FoundTask {
  run: TaskRun;
  view: TaskView;
}

/**
 * The task id that a request names.
 *
 * @throws -32602 for none, and for one that no store can look for
 */
export function requestedTaskId(id: string): string {
  if (id.trim() === "") throw malformed("The request names no task.");
  if (id.includes("\0")) throw malformed("The task id holds NUL, which no id does.");
  return id;
}

/**
 * The task of a run, or null for an id that is no task of this caller: unknown, foreign, or of an
 * ordinary run.
 */
export async function findTask(host: A2AHost, taskId: string): Promise<FoundTask | null> {
  const run = await host.runs.get(taskId);
  if (!run) return null;
  const mark = readMark(await host.runs.getKwargs(taskId));
  if (mark?.root !== taskId) return null;
  const result = await shownResult(host, run);
  const laterRunStarted = run.status === "interrupted" && (await hasMovedOn(host, run));
  return { run, view: renderTask({ run, mark, result, laterRunStarted }) };
}

/**
 * The task of a run.
 *
 * @throws -32001
 */
export async function requireTask(host: A2AHost, taskId: string): Promise<TaskView> {
  const found = await findTask(host, taskId);
  if (!found) throw taskNotFound();
  return found.view;
}

/** The result, read only where the status shows something of it. */
async function shownResult({ runs }: A2AHost, run: TaskRun): Promise<RunResult | null> {
  if (run.status !== "success" && run.status !== "interrupted") return null;
  return (await runs.getResult?.(run.run_id)) ?? null;
}

/** True if a run that came after this one has started. */
async function hasMovedOn({ runs }: A2AHost, run: TaskRun): Promise<boolean> {
  const all = await runs.listByThread(run.thread_id);
  const place = all.findIndex((other) => other.run_id === run.run_id);
  return all.slice(place + 1).some((later) => later.status !== "pending");
}
