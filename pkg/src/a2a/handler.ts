import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  Message,
  SendMessageRequest,
  Task,
} from "@a2a-js/sdk";
import { PushNotificationNotSupportedError, TaskNotCancelableError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";

import { requireResultSupport } from "../support.js";
import { isTerminalRunStatus } from "../wire.js";

import { malformed, refusal, taskNotFound, unsupported } from "./errors.js";
import { historyLength } from "./history.js";
import type { A2AHost, HostForCaller } from "./host.js";
import { admittedMessage, chatInput, messageRecord, type ToInput } from "./messages.js";
import { findTask, requireTask } from "./task-lookup.js";
import { protocolTask } from "./tasks.js";

/** Options of {@link createA2AHandler}. */
export interface A2AHandlerOptions {
  /** The agent's card. */
  card: AgentCard;
  /** The host, scoped to the caller of a request. */
  hostFor: HostForCaller;
  /** Makes the graph's input of a message. Default: {@link chatInput}. */
  toInput?: ToInput;
}

/**
 * Serves A2A tasks over a host's own runs: a projection, with no task rows and no cache. The id of a
 * run that was started by a message is the id of its task, and its thread is the task's context.
 *
 * Mount it with `jsonRpcHandler` of `@a2a-js/sdk/server/express`.
 *
 * Served: send (blocking, or returning at once), get, cancel, and the card. A task that waits for
 * input is shown, and a message to it is refused with -32004; streams, lists and push configurations
 * are refused with the protocol's own error for a capability that is off.
 */
export function createA2AHandler(options: A2AHandlerOptions): A2ARequestHandler {
  return new RunTaskHandler(options);
}

class RunTaskHandler implements A2ARequestHandler {
  readonly #card: AgentCard;
  readonly #hostFor: HostForCaller;
  readonly #toInput: ToInput;

  constructor({ card, hostFor, toInput = chatInput }: A2AHandlerOptions) {
    this.#card = card;
    this.#hostFor = hostFor;
    this.#toInput = toInput;
  }

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(this.#card);
  }

  async sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const { configuration } = request;
    const length = historyLength(configuration?.historyLength);
    const { message, contextId, taskId } = admittedMessage(request.message);
    const host = await this.#admittingHost(context);
    if (taskId !== undefined) await refuseContinuation(host, taskId, contextId);
    // Made before anything is created: it may refuse the message.
    const input = this.#toInput(message);
    const threadId = await contextThread(host, contextId);
    const runId = await startRun(host, threadId, message, input);
    if (configuration?.returnImmediately !== true) await host.wait(runId);
    return protocolTask(await requireTask(host, runId), length);
  }

  async getTask(request: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    const length = historyLength(request.historyLength);
    const host = await this.#hostFor(context);
    return protocolTask(await requireTask(host, request.id), length);
  }

  async cancelTask(request: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const host = await this.#hostFor(context);
    const found = await findTask(host, request.id);
    if (!found) throw taskNotFound();
    if (isTerminalRunStatus(found.run.status)) throw notCancelable(found.view.state);
    await host.cancel(found.run.run_id);
    // The run may have ended first, and then that is how it ended.
    const view = await requireTask(host, request.id);
    if (view.state !== "canceled") throw notCancelable(view.state);
    return protocolTask(view, undefined);
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

  /** The caller's host, known to keep results: contract 10, before anything is created. */
  async #admittingHost(context: ServerCallContext): Promise<A2AHost> {
    const host = await this.#hostFor(context);
    try {
      requireResultSupport(host.runs);
    } catch (error) {
      throw refusal(error);
    }
    return host;
  }
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
  if (!(await host.threads.get(contextId))) {
    throw malformed("There is no such context. Leave contextId out to begin a new one.");
  }
  return contextId;
}

async function startRun(
  host: A2AHost,
  threadId: string,
  message: Message,
  input: unknown,
): Promise<string> {
  const run = await host.start({
    threadId,
    input,
    mark: (runId) => ({ root: runId, turn: 0, message: messageRecord(message) }),
  });
  return run.run_id;
}

function notCancelable(state: string): Error {
  return new TaskNotCancelableError({ message: `The task is ${state} and cannot be canceled.` });
}

function noPush(): Error {
  return new PushNotificationNotSupportedError({
    message: "This agent sends no push notifications.",
  });
}
