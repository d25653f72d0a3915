import type { ServerCallContext } from "@a2a-js/sdk/server";

import type { RunMark } from "../mark.js";
import type { ResultMethods } from "../results.js";
import type { TaskRun } from "../task.js";

/** The runs of a host, as far as the adapter reads them. */
export interface A2ARuns extends Partial<Pick<ResultMethods, "recordResult" | "getResult">> {
  /** The run row, or null for an unknown run and for one that the caller may not read. */
  get(runId: string): Promise<TaskRun | null>;
  /** The kwargs stored with the run, in which the server's mark stands. */
  getKwargs(runId: string): Promise<object | null>;
  /** The runs of a thread, oldest first. */
  listByThread(threadId: string): Promise<TaskRun[]>;
}

/** The threads of a host, as far as the adapter uses them. */
export interface A2AThreads {
  /** The thread, or null for an unknown one and for one that the caller may not use. */
  get(threadId: string): Promise<object | null>;
  create(): Promise<{ thread_id: string }>;
}

/** A run that the adapter wants started. */
export interface A2AStart {
  threadId: string;
  /** The graph's input, made of the message. */
  input: unknown;
  /**
   * The mark of the new run, given its id. It must reach the run's kwargs out of band, by `markRun`:
   * no body of a request may carry it.
   */
  mark: (runId: string) => RunMark;
}

/**
 * The host of the adapter: the existing runs and threads, **scoped to the caller**. The adapter keeps
 * no task of its own; every answer is read from these.
 *
 * @example
 * ```ts
 * const host: A2AHost = {
 *   runs: store.runs,
 *   threads: { get: (id) => store.threads.get(id), create: () => threads.create({}) },
 *   start: ({ threadId, input, mark }) =>
 *     runs.start({ threadId, assistantId: "agent", input, multitaskStrategy: "enqueue" }, { mark }),
 *   wait: (runId) => runs.wait(runId),
 *   cancel: (runId) => runs.cancel(runId),
 * };
 * ```
 */
export interface A2AHost {
  runs: A2ARuns;
  threads: A2AThreads;
  /**
   * Admits a run through the host's own admission, and queues it behind a run in flight (`enqueue`).
   * Answers as soon as the run row exists.
   */
  start(request: A2AStart): Promise<{ run_id: string }>;
  /** Answers when the run has ended, or is gone. */
  wait(runId: string): Promise<unknown>;
  /** Cancels a run that is in flight, by the host's own cancellation; another one is left as it is. */
  cancel(runId: string): Promise<unknown>;
}

/**
 * The host as one caller may use it, made for each request. Who calls is in the context: `user` is what
 * the transport's `userBuilder` made of the request, `tenant` what the request names.
 *
 * The adapter decides nothing about access. What the caller may not see reads as `null` from `get`, like
 * what does not exist, and is then answered alike: a foreign task as an unknown one, a foreign context
 * as an unknown one.
 *
 * @example
 * ```ts
 * const hostFor: HostForCaller = ({ user, tenant }) => hostOver(scopedStore(store, { user, tenant }));
 * ```
 */
export type HostForCaller = (context: ServerCallContext) => A2AHost | Promise<A2AHost>;
