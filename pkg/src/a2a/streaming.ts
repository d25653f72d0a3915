// A task as a stream of events: first the task, then what changes, in order (A2A 3.1.2, 3.1.6, 3.5.2).

import type { StreamResponse } from "@a2a-js/sdk";

import type { TaskView } from "../task.js";

import { unsupported } from "./errors.js";
import type { A2AHost } from "./host.js";
import { findTask } from "./task-lookup.js";
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
 * The events of a task from the first view on, until it has ended or waits for input. Every event is made
 * of the rows, so that all streams of a task tell the same in the same order; one that is slow to read
 * may miss a state that has passed.
 */
export async function* taskEvents(
  host: A2AHost,
  first: TaskView,
  changes: AsyncIterable<unknown>,
  historyLength: number | undefined,
): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: "task", value: protocolTask(first, historyLength) } };
  if (isAtRest(first)) return;
  let shown = first;
  const reader = changes[Symbol.asyncIterator]();
  try {
    for (let isOver = false; !isOver && !isAtRest(shown);) {
      // Read once more at the end: it may have been announced together with the last change.
      isOver = (await reader.next()).done === true;
      const view = await currentView(host, first.id);
      if (!view) return;
      yield* eventsBetween(shown, view);
      shown = view;
    }
  } finally {
    await reader.return?.();
  }
}

async function currentView(host: A2AHost, taskId: string): Promise<TaskView | null> {
  return (await findTask(host, taskId))?.view ?? null;
}

/** The artifact comes before the status that ends the task. */
function* eventsBetween(before: TaskView, after: TaskView): Generator<StreamResponse> {
  if (after.state === before.state) return;
  const of = { taskId: after.id, contextId: after.contextId, metadata: undefined };
  if (after.artifact) {
    const value = { ...of, artifact: artifact(after.artifact), append: false, lastChunk: true };
    yield { payload: { $case: "artifactUpdate", value } };
  }
  yield { payload: { $case: "statusUpdate", value: { ...of, status: protocolStatus(after) } } };
}
