import type { ServerCallContext } from "@a2a-js/sdk/server";

import type { RunMark } from "../tasks/mark.js";
import type { ResultMethods } from "../results/methods.js";
import type { ResumeAnswer } from "../tasks/resume.js";
import type { TaskPage } from "../tasks/methods.js";
import type { TaskQuery } from "../tasks/query.js";
import type { TaskRun } from "../tasks/view.js";

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
  /**
   * The thread of a context: the caller's own thread of this id, or the one that {@link create} has made
   * for them under this name. Null for anything else, so that nobody gets into the thread of another.
   */
  get(contextId: string): Promise<{ thread_id: string } | null>;
  /**
   * Creates a thread; with a context id, the one that {@link get} finds from then on for this caller and
   * for nobody else. Several messages may ask for one at the same time, and get the same. The thread's
   * id must not be the given name where another caller may have that name, too: derive it from both.
   */
  create(contextId?: string): Promise<{ thread_id: string }>;
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

/** A run that the adapter wants started together with its thread. */
export interface A2AStartOnNewThread extends Omit<A2AStart, "threadId"> {
  /** The name that the thread is made for, as for {@link A2AThreads.create}. */
  contextId: string | undefined;
}

/** A run that the adapter wants started in answer to a paused one. */
export interface A2AResume {
  /** The paused run. */
  runId: string;
  answer: ResumeAnswer;
  /** The mark of the new run, which goes where that of {@link A2AStart} goes. */
  mark: RunMark;
}

/**
 * The host of the adapter: the existing runs and threads, **scoped to the caller**. The adapter keeps
 * no task of its own; every answer is read from these. What a host lacks of the optional members is off,
 * and refused in the protocol's own words before anything is created.
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
   * Answers with the run row as soon as it exists.
   */
  start(request: A2AStart): Promise<TaskRun>;
  /**
   * As {@link start}, on the thread that {@link A2AThreads.create} would make: a new one, or, where
   * somebody has been quicker, the one that is there. Where thread and run are created in one step of the
   * store, a message that fails leaves no thread behind, and a first message costs one write less.
   *
   * *Without it*: the thread is created, and then the run is started on it.
   */
  startOnNewThread?(request: A2AStartOnNewThread): Promise<TaskRun>;
  /**
   * Admits the run that resumes a paused one: inside the thread's execution claim, by `planResume` and
   * the store's `admitResume`. Throws what `planResume` throws, and leaves no run behind then.
   *
   * *Without it*: a task that waits for input takes no answer.
   */
  resume?(request: A2AResume): Promise<TaskRun>;
  /** Answers when the run has ended, or is gone. */
  wait(runId: string): Promise<unknown>;
  /** Cancels a run that is in flight, by the host's own cancellation; another one is left as it is. */
  cancel(runId: string): Promise<unknown>;
  /**
   * Cancels a paused task's last run by the store's `cancelPausedRun`, inside the thread's execution claim;
   * a run that is not paused any more is left as it is.
   *
   * *Without it*: a task that waits for input cannot be canceled.
   */
  cancelPaused?(runId: string): Promise<unknown>;
  /**
   * The tasks that a query asks for, by the store's `taskPage`, **of this caller only**: it is a member of
   * its own, so that a wrapper around `runs` cannot hand it on by accident, unscoped.
   *
   * *Without it*: a task is read run by run, and tasks cannot be listed.
   */
  taskPage?(query: TaskQuery): Promise<TaskPage>;
  /**
   * Yields whenever the row of a run may have changed, and ends when the run has ended, or is gone, or
   * nobody listens any more. A paused run has not ended in this sense: it yields also when the run may
   * have been continued or given up. It listens from the moment of this call, not of the first read, so that
   * nothing that happens in between is lost.
   *
   * *Without it*: streams and subscriptions are refused.
   */
  changes?(runId: string): AsyncIterable<unknown>;
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
