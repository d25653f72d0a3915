// A task as a stream of events: first the task, then what changes, in order (A2A 3.1.2, 3.1.6, 3.5.2).

import type { StreamResponse } from "@a2a-js/sdk";

import type { TaskView } from "../tasks/view.js";

import { unsupported } from "./errors.js";
import type { A2AHost } from "./host.js";
import { findTask, requireTask, type FoundTask } from "./task-lookup.js";
import { artifact, isAtRest, protocolStatus, protocolTask } from "./tasks.js";

/**
 * The changes of a run, listened to from now on. What is read after this call misses nothing.
 *
 * @throws -32004 for a host that cannot tell
 */
export function listenTo(host: A2AHost, runId: string): AsyncIterable<unknown> {
  if (typeof host.changes !== "function") throw unsupported("This agent does not stream.");
  return host.changes(runId);
}

/**
 * The events of a task from now on. The run that it stands at is listened to before the view is taken, so
 * that what happens in between is not lost.
 *
 * @throws -32001, and -32004 for a task that has ended
 */
export async function subscription(
  host: A2AHost,
  taskId: string,
): Promise<AsyncGenerator<StreamResponse, void, undefined>> {
  let { run } = await requireTask(host, taskId);
  for (;;) {
    const changes = listenTo(host, run.run_id);
    try {
      const found = await requireTask(host, taskId);
      const { state } = found.view;
      if (isAtRest(found.view) && state !== "input-required") {
        throw unsupported(`The task is ${state}: there is nothing more to come.`);
      }
      if (found.run.run_id === run.run_id) return taskEvents(host, found, changes, undefined);
      // It has gone on meanwhile, by another run.
      ({ run } = found);
    } catch (error) {
      await stopListening(changes);
      throw error;
    }
    await stopListening(changes);
  }
}

async function stopListening(changes: AsyncIterable<unknown>): Promise<void> {
  await changes[Symbol.asyncIterator]().return?.();
}

/**
 * The events of a task from the first view on, until it has ended or comes to wait for input; one that
 * waits already is listened to until it has gone on from there. Every event is made of the rows, so that
 * all streams of a task tell the same in the same order; one that is slow to read may miss a state that has
 * passed.
 */
export async function* taskEvents(
  host: A2AHost,
  first: FoundTask,
  changes: AsyncIterable<unknown>,
  historyLength: number | undefined,
): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: "task", value: protocolTask(first.view, historyLength) } };
  let shown = first;
  let reader = changes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const isOver = (await reader.next()).done === true;
      // Read also at the end: it may have been announced together with the last change.
      const found = await findTask(host, first.view.id);
      if (!found) return;
      const isSameRun = found.run.run_id === shown.run.run_id;
      if (!isSameRun || found.view.state !== shown.view.state) {
        yield* eventsOf(found.view);
        if (isAtRest(found.view)) return;
        shown = found;
      }
      if (isSameRun && isOver) return;
      if (!isSameRun) {
        await reader.return?.();
        reader = listenTo(host, found.run.run_id)[Symbol.asyncIterator]();
      }
    }
  } finally {
    await reader.return?.();
  }
}

/** The artifact comes before the status that ends the task. */
function* eventsOf(after: TaskView): Generator<StreamResponse> {
  const of = { taskId: after.id, contextId: after.contextId, metadata: undefined };
  if (after.artifact) {
    const value = { ...of, artifact: artifact(after.artifact), append: false, lastChunk: true };
    yield { payload: { $case: "artifactUpdate", value } };
  }
  yield { payload: { $case: "statusUpdate", value: { ...of, status: protocolStatus(after) } } };
}
