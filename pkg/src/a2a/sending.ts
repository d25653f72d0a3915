// Admitting a message: it begins a task, or it answers one that waits for input.

import type { Message } from "@a2a-js/sdk";

import type { RunMark } from "../tasks/mark.js";
import { requireResultSupport } from "../results/support.js";
import { renderTask, type TaskRun } from "../tasks/view.js";

import { answerOf } from "./answer.js";
import { contextNotFound, malformed, unsupported } from "./errors.js";
import type { A2AHost, A2AStart } from "./host.js";
import { admittedMessage, type AdmittedMessage, type ToInput } from "./messages.js";
import { requireTask, whileTaskIsThere, type FoundTask } from "./task-lookup.js";

/**
 * Admits a message, and answers the task as it is then.
 *
 * Everything that can be refused is refused before anything is created (contract 10).
 *
 * @throws -32602, -32001, -32004, -32005
 */
export async function admitMessage(
  host: A2AHost,
  sent: Message | undefined,
  toInput: ToInput,
): Promise<FoundTask> {
  const admitted = admittedMessage(sent);
  requireResultSupport(host.runs);
  if (admitted.taskId !== undefined) return continueTask(host, admitted.taskId, admitted);
  // It may refuse the message, so it comes before the thread.
  const input = toInput(admitted.message);
  return beginTask(host, input, admitted);
}

async function beginTask(
  host: A2AHost,
  input: unknown,
  { record, contextId }: AdmittedMessage,
): Promise<FoundTask> {
  const known = contextId === undefined ? null : await host.threads.get(contextId);
  if (!known && typeof host.startOnNewThread === "function") {
    const mark = firstMark(record, contextId);
    const run = await host.startOnNewThread({ contextId, input, mark });
    return admittedTask(run, mark(run.run_id), [record]);
  }
  // One that the caller does not have is created under the name.
  const threadId = (known ?? (await host.threads.create(contextId))).thread_id;
  const mark = firstMark(record, contextId === threadId ? undefined : contextId);
  const run = await startOnThread(host, threadId, () => host.start({ threadId, input, mark }));
  return admittedTask(run, mark(run.run_id), [record]);
}

/** The mark of a task's first run. A context is noted where it is not the thread's own id. */
function firstMark(message: string, context: string | undefined): A2AStart["mark"] {
  return (root) => ({ root, turn: 0, message, ...(context === undefined ? {} : { context }) });
}

async function startOnThread(
  host: A2AHost,
  threadId: string,
  start: () => Promise<TaskRun>,
): Promise<TaskRun> {
  try {
    return await start();
  } catch (error) {
    // The thread may have been deleted since it was looked for.
    if (await host.threads.get(threadId)) throw error;
    throw contextNotFound();
  }
}

/** Only a task that waits for input takes a message (A2A 3.1.1, 3.4.3). */
async function continueTask(
  host: A2AHost,
  taskId: string,
  { message, record, contextId }: AdmittedMessage,
): Promise<FoundTask> {
  const { run, mark, view } = await requireTask(host, taskId);
  if (contextId !== undefined && contextId !== view.contextId) {
    const thread = await host.threads.get(contextId);
    if (thread?.thread_id !== run.thread_id) {
      throw malformed("The task belongs to another context.");
    }
  }
  if (view.state !== "input-required") {
    throw unsupported(`The task is ${view.state} and takes no further message.`);
  }
  if (typeof host.resume !== "function") {
    throw unsupported("This agent does not take answers to a task that waits for input.");
  }
  const next: RunMark = { ...mark, turn: mark.turn + 1, message: record };
  const resuming = host.resume({ runId: run.run_id, answer: answerOf(message), mark: next });
  const resumed = await whileTaskIsThere(host, run.run_id, resuming);
  return admittedTask(resumed, next, [...view.messages.map(textOf), record]);
}

const textOf = (message: unknown): string => JSON.stringify(message);

/** The task of a run that was admitted just now, and has not been executed yet. */
function admittedTask(run: TaskRun, mark: RunMark, messages: string[]): FoundTask {
  const view = renderTask({ run, mark, result: null, movedOn: false, messages });
  return { run, mark, view };
}
