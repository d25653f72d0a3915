import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import type { A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";

import { readArgument, requireFunction, requireObject } from "../wasm/argument.js";

import { cancelTask } from "./canceling.js";
import { internalError, noPush, tellable, unsupported } from "./errors.js";
import { historyLength } from "./history.js";
import type { HostForCaller } from "./host.js";
import { listTasks, requestedListing } from "./listing.js";
import { chatInput, type ToInput } from "./messages.js";
import { admitMessage } from "./sending.js";
import { listenTo, subscription, taskEvents } from "./streaming.js";
import { requestedTaskId, requireTask, taskAtRest } from "./task-lookup.js";
import { directMessage, protocolTask } from "./tasks.js";

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
 * Mount it with `jsonRpcHandler` and `restHandler` of `@a2a-js/sdk/server/express`.
 *
 * Served: send (blocking, or returning at once), answers to a task that waits for input, streams and
 * subscriptions, get, list, cancel, and the card. Push configurations are refused with -32003 (also one
 * that comes with a message): a host's outbox announces the end of a run in its own form, to one receiver,
 * and what is not durable is not offered. The extended card, which {@link agentCard} does not declare,
 * is refused with -32004. What a host does not offer is off: see {@link A2AHost}.
 *
 * @throws `invalid_argument`
 */
export function createA2AHandler(options: A2AHandlerOptions): A2ARequestHandler {
  return new RunTaskHandler(options);
}

class RunTaskHandler implements A2ARequestHandler {
  readonly #card: AgentCard;
  readonly #hostFor: HostForCaller;
  readonly #toInput: ToInput;
  readonly #onFailure: (error: unknown) => void;

  constructor(options: A2AHandlerOptions) {
    const own = readArgument("options", () => {
      const { card, hostFor, toInput = chatInput, onFailure = logFailure } = options;
      return { card, hostFor, toInput, onFailure };
    });
    requireObject("card", own.card);
    requireFunction("hostFor", own.hostFor);
    requireFunction("toInput", own.toInput);
    requireFunction("onFailure", own.onFailure);
    this.#card = own.card;
    this.#hostFor = own.hostFor;
    this.#toInput = own.toInput;
    this.#onFailure = own.onFailure;
  }

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(this.#card);
  }

  sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    return this.#answer(async () => {
      const { configuration } = request;
      const length = historyLength(configuration?.historyLength);
      if (configuration?.taskPushNotificationConfig) throw noPush();
      const host = await this.#hostFor(context);
      const admitted = await admitMessage(host, request.message, this.#toInput);
      if (configuration?.returnImmediately === true) return protocolTask(admitted.view, length);
      const { view } = await taskAtRest(host, admitted);
      return directMessage(view) ?? protocolTask(view, length);
    });
  }

  sendMessageStream(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.#stream(async () => {
      const { configuration } = request;
      const length = historyLength(configuration?.historyLength);
      if (configuration?.taskPushNotificationConfig) throw noPush();
      this.#requireStreaming();
      const host = await this.#hostFor(context);
      if (typeof host.changes !== "function") throw unsupported("This agent does not stream.");
      const admitted = await admitMessage(host, request.message, this.#toInput);
      return taskEvents(host, admitted, listenTo(host, admitted.run.run_id), length);
    });
  }

  resubscribe(
    request: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.#stream(async () => {
      this.#requireStreaming();
      const taskId = requestedTaskId(request.id);
      const host = await this.#hostFor(context);
      return subscription(host, taskId);
    });
  }

  getTask(request: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.#answer(async () => {
      const taskId = requestedTaskId(request.id);
      const length = historyLength(request.historyLength);
      const host = await this.#hostFor(context);
      return protocolTask((await requireTask(host, taskId)).view, length);
    });
  }

  listTasks(request: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    return this.#answer(async () => {
      const listing = requestedListing(request);
      return listTasks(await this.#hostFor(context), listing);
    });
  }

  cancelTask(request: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.#answer(async () => {
      const taskId = requestedTaskId(request.id);
      const host = await this.#hostFor(context);
      return protocolTask(await cancelTask(host, taskId), undefined);
    });
  }

  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(unsupported("This agent has no extended card."));
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

  /** A card that does not declare streams is an agent that does not stream (A2A 3.3.4). */
  #requireStreaming(): void {
    if (this.#card.capabilities?.streaming !== true) {
      throw unsupported("This agent does not stream.");
    }
  }

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#told(error);
    }
  }

  async *#stream(
    begin: () => Promise<AsyncGenerator<StreamResponse, void, undefined>>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      yield* await begin();
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** The transport sends the text of whatever is thrown to the caller. */
  #told(error: unknown): Error {
    const told = tellable(error);
    if (told) return told;
    this.#onFailure(error);
    return internalError(error);
  }
}

function logFailure(error: unknown): void {
  console.error("An A2A request failed inside.", error);
}
