// The A2A adapter that a server without the package can have: tasks read from existing run, thread and
// checkpoint records alone. No result is captured, nothing is kept in the adapter, nothing is mirrored.
// It is here to fail, and the gate states how.

import { TaskState, type Message, type Part, type Task } from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { messageText } from "skein-results/a2a";

import { cardOf, serveA2A } from "../a2a/mount.js";
import type { Host, Mount } from "../host.js";
import type { Run } from "../stores/contract.js";

/** Reads the answer of a run that succeeded from the records of its thread; undefined for none. */
export type ReadAnswer = (host: Host, run: Run) => Promise<unknown>;

/** From the thread's latest state: the only place where a run's output is still to be found. */
export const latestState: ReadAnswer = async (host, run) =>
  (await host.services().threads.getState(run.thread_id)).values;

/**
 * From the checkpoint that the run ended at, supposing that a run remembered its id. It does not;
 * `ids` stands in for the column that would hold it. A run that is not in it has only just ended, and
 * the thread's tip, which a missing id means, is its checkpoint.
 */
export function rememberedCheckpoint(ids: Map<string, string>): ReadAnswer {
  return async (host, run) => {
    const coordinate = {
      thread_id: run.thread_id,
      checkpoint_ns: "",
      checkpoint_id: ids.get(run.run_id),
    };
    const tuple = await host.saver.getTuple({ configurable: coordinate });
    const state = tuple?.checkpoint.channel_values;
    return state && { value: state["value"] };
  };
}

/** Serves the graph of an assistant without the package. */
export function baselineMount(assistantId: string, readAnswer: ReadAnswer): Mount {
  return (app, host, url) => {
    const card = cardOf(assistantId, url);
    const off = () => Promise.reject(new UnsupportedOperationError());
    const offStream = (): never => {
      throw new UnsupportedOperationError();
    };
    const handler: A2ARequestHandler = {
      getAgentCard: () => Promise.resolve(card),
      sendMessage: async ({ message }) =>
        readTask(host, await answerOf(host, assistantId, message), readAnswer),
      getTask: ({ id }) => readTask(host, id, readAnswer),
      cancelTask: off,
      listTasks: off,
      getAuthenticatedExtendedAgentCard: off,
      createTaskPushNotificationConfig: off,
      getTaskPushNotificationConfig: off,
      listTaskPushNotificationConfigs: off,
      deleteTaskPushNotificationConfig: off,
      sendMessageStream: offStream,
      resubscribe: offStream,
    };
    serveA2A(app, handler, card);
  };
}

async function answerOf(
  host: Host,
  assistantId: string,
  message: Message | undefined,
): Promise<string> {
  if (!message) throw new UnsupportedOperationError();
  const { runs, threads } = host.services();
  const threadId =
    message.contextId === "" ? (await threads.create()).thread_id : message.contextId;
  const run = await runs.start({ threadId, assistantId, input: { value: messageText(message) } });
  await runs.wait(run.run_id);
  return run.run_id;
}

async function readTask(host: Host, runId: string, readAnswer: ReadAnswer): Promise<Task> {
  const run = await host.store.runs.get(runId);
  if (!run) throw new TaskNotFoundError();
  const succeeded = run.status === "success";
  const answer = succeeded ? await readAnswer(host, run) : undefined;
  return {
    id: runId,
    contextId: run.thread_id,
    status: {
      state: succeeded ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_FAILED,
      message: undefined,
      timestamp: run.updated_at,
    },
    artifacts: answer === undefined ? [] : [artifact(runId, answer)],
    history: [],
    metadata: undefined,
  };
}

function artifact(runId: string, answer: unknown): Task["artifacts"][number] {
  const part: Part = {
    content: { $case: "data", value: answer },
    metadata: undefined,
    filename: "",
    mediaType: "",
  };
  return {
    artifactId: `result-${runId}`,
    name: "",
    description: "",
    parts: [part],
    metadata: undefined,
    extensions: [],
  };
}
