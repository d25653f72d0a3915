import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  Task,
} from "@a2a-js/sdk";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";

import { requireResultSupport } from "../support.js";
import { isTerminalRunStatus } from "../wire.js";

import {
  contextNotFound,
  internalError,
  malformed,
  noPush,
  notCancelable,
  taskNotFound,
  tellable,
  unsupported,
} from "./errors.js";
import { historyLength } from "./history.js";
import type { A2AHost, HostForCaller } from "./host.js";
import { admittedMessage, chatInput, type ToInput } from "./messages.js";
import { findTask, requestedTaskId, requireTask } from "./task-lookup.js";
import { protocolTask } from "./tasks.js";

/** Options of {@link createA2AHandler}. */
export interface A2AHandlerOptions {
  /** The agent's card. */
  card: AgentCard;
  /** The host, scoped to the caller of a request. */
  hostFor: HostForCaller;
  /** Makes the graph's input of a message. Default: {@link chatInput}. */
  toInput?: ToInput;
  /**
   * Is told what failed inside, where the caller is told only that something did (-32603). Default:
   * the console's error stream.
   */
  onFailure?: (error: unknown) => void;
}

/**
 * Serves A2A tasks over a host's own runs: a projection, with no task rows and no cache. The id of a
 * run that was started by a message is the id of its task, and its thread is the task's context.
 *
 * Mount it with `jsonRpcHandler` of `@a2a-js/sdk/server/express`.
 *
 * Served: send (blocking, or returning at once), get, cancel, and the card. A task that waits for
 * input is shown; a message to it is refused with -32004, and cancelling it with -32002. Streams,
 * subscriptions and lists are refused with -32004, push configurations with -32003 (also one that
 * comes with a message), and the extended card, which {@link agentCard} does not declare, with -32004.
 */
export function createA2AHandler(options: A2AHandlerOptions): A2ARequestHandler {
  return new RunTaskHandler(options);
}

class RunTaskHandler implements A2ARequestHandler {
  readonly #card: AgentCard;
  readonly #hostFor: HostForCaller;
  readonly #toInput: ToInput;
  readonly #onFailure: (error: unknown) => void;

  constructor({ card, hostFor, toInput = chatInput, onFailure = logFailure }: A2AHandlerOptions) {
    this.#card = card;
    this.#hostFor = hostFor;
    this.#toInput = toInput;
    this.#onFailure = onFailure;
  }

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(this.#card);
  }

  sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    return this.#answer(async () => {
      const { configuration } = request;
      const length = historyLength(configuration?.historyLength);
      if (configuration?.taskPushNotificationConfig) throw noPush();
      const { message, record, contextId, taskId } = admittedMessage(request.message);
      const host = await this.#hostFor(context);
      // Contract 10: before anything is created.
      requireResultSupport(host.runs);
      if (taskId !== undefined) await refuseContinuation(host, taskId, contextId);
      // It may refuse the message, so it comes before anything is created, too.
      const input = this.#toInput(message);
      const threadId = await contextThread(host, contextId);
      const runId = await startRun(host, threadId, input, record);
      if (configuration?.returnImmediately !== true) await host.wait(runId);
      return protocolTask(await requireTask(host, runId), length);
    });
  }

  getTask(request: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.#answer(async () => {
      const taskId = requestedTaskId(request.id);
      const length = historyLength(request.historyLength);
      const host = await this.#hostFor(context);
      return protocolTask(await requireTask(host, taskId), length);
    });
  }

  cancelTask(request: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.#answer(async () => {
      const taskId = requestedTaskId(request.id);
      const host = await this.#hostFor(context);
      const found = await findTask(host, taskId);
      if (!found) throw taskNotFound();
      if (isTerminalRunStatus(found.run.status)) throw notCancelable(found.view.state);
      await cancelRun(host, taskId);
      // The run may have ended first, and then that is how it ended.
      const view = await requireTask(host, taskId);
      if (view.state !== "canceled") throw notCancelable(view.state);
      return protocolTask(view, undefined);
    });
  }

  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(unsupported("This agent has no extended card."));
  }

  // eslint-disable-next-line require-yield -- a generator, as the SDK wants it, that refuses
  async *sendMessageStream(): AsyncGenerator<never, void, undefined> {
    await Promise.reject(unsupported("This agent does not stream."));
  }

  // eslint-disable-next-line require-yield -- a generator, as the SDK wants it, that refuses
  async *resubscribe(): AsyncGenerator<never, void, undefined> {
    await Promise.reject(unsupported("This agent does not stream."));
  }

  listTasks(): Promise<never> {
    return Promise.reject(unsupported("This agent does not list tasks."));
  }

  createTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(noPush());
  }

  getTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(noPush());
  }

  listTaskPushNotificationConfigs(): Promise<never> {
    return Promise.reject(noPush());
  }

  deleteTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(noPush());
  }

  /** The transport sends the text of whatever is thrown here to the caller. */
  async #answer(work: () => Promise<Task>): Promise<Task> {
    try {
      return await work();
    } catch (error) {
      const told = tellable(error);
      if (told) throw told;
      this.#onFailure(error);
      throw internalError(error);
    }
  }
}

function logFailure(error: unknown): void {
  console.error("An A2A request failed inside.", error);
}

/** A message to an existing task: each way in which it cannot be taken, before anything is written. */
async function refuseContinuation(
  host: A2AHost,
  taskId: string,
  contextId: string | undefined,
): Promise<never> {
  const view = await requireTask(host, taskId);
  if (contextId !== undefined && contextId !== view.contextId) {
    throw malformed("The task belongs to another context.");
  }
  throw unsupported(
    view.state === "input-required"
      ? "This agent does not take answers to a task that waits for input."
      : `The task is ${view.state} and takes no further message.`,
  );
}

/**
 * The thread of a context. Contexts are issued by the server: an unknown one and another caller's are
 * refused alike.
 */
async function contextThread(host: A2AHost, contextId: string | undefined): Promise<string> {
  if (contextId === undefined) return (await host.threads.create()).thread_id;
  if (!(await host.threads.get(contextId))) throw contextNotFound();
  return contextId;
}

async function startRun(
  host: A2AHost,
  threadId: string,
  input: unknown,
  message: string,
): Promise<string> {
  try {
    const mark = (runId: string) => ({ root: runId, turn: 0, message });
    return (await host.start({ threadId, input, mark })).run_id;
  } catch (error) {
    // The thread may have been deleted since it was looked for.
    if (await host.threads.get(threadId)) throw error;
    throw contextNotFound();
  }
}

async function cancelRun(host: A2AHost, runId: string): Promise<void> {
  try {
    await host.cancel(runId);
  } catch (error) {
    // The run may have been deleted since it was looked for.
    if (await host.runs.get(runId)) throw error;
    throw taskNotFound();
  }
}
