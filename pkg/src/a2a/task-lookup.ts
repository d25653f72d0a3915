import type { RunResult } from "../wasm/shapes.js";
import { readMark, type RunMark } from "../tasks/mark.js";
import type { TaskRecord } from "../tasks/methods.js";
import { renderTask, type TaskRun, type TaskView } from "../tasks/view.js";

import { malformed, taskNotFound } from "./errors.js";
import type { A2AHost } from "./host.js";
import { isAtRest } from "./tasks.js";

/** A task: the last run of its lineage, that run's mark, and the view of it. */
export interface FoundTask {
  run: TaskRun;
  mark: RunMark;
  view: TaskView;
}

/**
 * The task id that a request names; a client of protocol 0.3 may name anything.
 *
 * @throws -32602 for none, and for one that no store can look for
 */
export function requestedTaskId(id: unknown): string {
  if (typeof id !== "string" || id.trim() === "") throw malformed("The request names no task.");
  if (id.includes("\0")) throw malformed("The task id holds NUL, which no id does.");
  return id;
}

/**
 * A task, or null for an id that is no task of this caller: unknown, foreign, of an ordinary run, or of
 * a later run of a lineage.
 */
export async function findTask(host: A2AHost, taskId: string): Promise<FoundTask | null> {
  if (typeof host.taskPage !== "function") return findRunByRun(host, taskId);
  const { tasks } = await host.taskPage({ task: taskId, limit: 1, answers: true, count: false });
  const [record] = tasks;
  return record ? taskOfRecord(record) : null;
}

/**
 * A task that is there.
 *
 * @throws -32001
 */
export async function requireTask(host: A2AHost, taskId: string): Promise<FoundTask> {
  const found = await findTask(host, taskId);
  if (!found) throw taskNotFound();
  return found;
}

/**
 * A task when nothing more happens to it by itself: the run that it was seen with has ended, and so has
 * one by which somebody else has had it go on from there.
 *
 * @throws -32001
 */
export async function taskAtRest(host: A2AHost, seen: FoundTask): Promise<FoundTask> {
  let found = seen;
  for (;;) {
    const waited = found.run.run_id;
    await host.wait(waited);
    found = await requireTask(host, seen.view.id);
    if (isAtRest(found.view) || found.run.run_id === waited) return found;
  }
}

/**
 * What is done with a task's run, which may be deleted meanwhile.
 *
 * @throws -32001 where it was, and what the work throws otherwise
 */
export async function whileTaskIsThere<T>(
  host: A2AHost,
  runId: string,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (await host.runs.get(runId)) throw error;
    throw taskNotFound();
  }
}

/** The task of a row that a store has answered with. */
export function taskOfRecord(record: TaskRecord): FoundTask {
  const { messages, context, movedOn, result } = record;
  const run: TaskRun = {
    run_id: record.run,
    thread_id: record.thread,
    status: record.status,
    updated_at: record.at,
    error: record.error === null ? null : (JSON.parse(record.error) as { message?: string } | null),
  };
  const mark: RunMark = {
    root: record.task,
    turn: record.turn,
    message: messages.at(-1) ?? null,
    ...(context === null ? {} : { context }),
  };
  return { run, mark, view: renderTask({ run, mark, result, movedOn: movedOn, messages }) };
}

/** For a store that cannot be asked for a task: its runs are read one by one. */
async function findRunByRun(host: A2AHost, taskId: string): Promise<FoundTask | null> {
  const first = await markedRun(host, await host.runs.get(taskId));
  if (first?.mark.root !== taskId) return null;
  // Only a pause can have been continued.
  const isPaused = first.run.status === "interrupted";
  const onThread = isPaused ? await host.runs.listByThread(first.run.thread_id) : [];
  const lineage = [first, ...(await continuationsOf(host, first, onThread))];
  const last = lineage.at(-1) ?? first;
  const place = onThread.findIndex(({ run_id }) => run_id === last.run.run_id);
  const movedOn =
    last.run.status === "interrupted" &&
    onThread.slice(place + 1).some(({ status }) => status !== "pending");
  const result = await shownResult(host, last.run);
  const messages = lineage.map(({ mark }) => mark.message);
  return { ...last, view: renderTask({ ...last, result, movedOn, messages }) };
}

async function markedRun({ runs }: A2AHost, run: TaskRun | null) {
  const mark = run && readMark(await runs.getKwargs(run.run_id));
  return run && mark ? { run, mark } : null;
}

async function continuationsOf(
  host: A2AHost,
  first: { mark: RunMark; run: TaskRun },
  onThread: readonly TaskRun[],
) {
  const marked = await Promise.all(
    onThread.filter(({ run_id }) => run_id !== first.run.run_id).map((run) => markedRun(host, run)),
  );
  return marked
    .filter((run) => run?.mark.root === first.mark.root)
    .filter((run) => run !== null)
    .sort((left, right) => left.mark.turn - right.mark.turn);
}

/** The result, read only where the status shows something of it. */
async function shownResult({ runs }: A2AHost, run: TaskRun): Promise<RunResult | null> {
  if (run.status !== "success" && run.status !== "interrupted") return null;
  return (await runs.getResult?.(run.run_id)) ?? null;
}
