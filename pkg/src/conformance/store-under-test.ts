import type { RunStatus } from "../wasm/shapes.js";
import type { MaybePromise } from "../drivers/driver.js";
import type { ResultMethods } from "../results/methods.js";

/** A run repository as far as the suite calls it. What it lacks is reported, and called nowhere. */
export type RunsUnderTest = {
  readonly [Method in keyof ResultMethods]?: ResultMethods[Method] | undefined;
};

/** A run that the suite asks a store to create. */
export interface NewRun {
  readonly runId: string;
  /** The thread is there already. */
  readonly threadId: string;
  readonly status: RunStatus;
  /**
   * What is stored beside the row and never shown to a client. Some carry the server's mark, and their
   * input may hold every text that JSON allows.
   */
  readonly kwargs: object;
  /** The row's metadata, where the case is about the scope of a caller; absent: whatever the host has. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A run row as a client gets it, with whatever else the host has in it. */
export interface RunRow {
  readonly status: RunStatus;
}

/** The host's own transaction while it is open. */
export interface HostTransaction {
  /** What the driver takes as its `transaction`: the client with pg, undefined where none is needed. */
  readonly handle: unknown;
  readonly createRun: (run: NewRun) => MaybePromise<unknown>;
}

/** What a driver without `attachMany` or `copyMany` does run by run. */
export type OneByOne = "attachResults" | "copyResults";

/**
 * A store, as the suite sees it: the host's own calls, forwarded. Nothing in here is written for the
 * suite alone, so what passes is what the server runs on.
 *
 * The suite makes up its own ids and never asks for an empty store: the stores that it opens may share
 * one database.
 *
 * @example
 * ```ts
 * const open = (): StoreUnderTest => {
 *   const store = openMyStore();
 *   return {
 *     runs: store.runs,
 *     createThread: (threadId) => store.threads.create({ thread_id: threadId }),
 *     createRun: ({ runId, threadId, status, kwargs, metadata }) =>
 *       store.runs.create({ run_id: runId, thread_id: threadId, status, kwargs, metadata }),
 *     setStatus: (runId, status) => store.runs.setStatus(runId, status),
 *     deleteRun: (runId) => store.runs.delete(runId),
 *     deleteThread: (threadId) => store.threads.delete(threadId),
 *     getRun: (runId) => store.runs.get(runId),
 *     connect: open,
 *     close: () => store.close(),
 *   };
 * };
 * ```
 */
export interface StoreUnderTest {
  /** The run repository, exactly as the server gets it. */
  readonly runs: RunsUnderTest;

  createThread(threadId: string): MaybePromise<unknown>;

  /** Creates a run behind every other of its thread, however many are created in one millisecond. */
  createRun(run: NewRun): MaybePromise<unknown>;

  /**
   * Creates the run that resumes a paused one, if the driver's `admitResume` admits it, and answers
   * whether it did. Left out where the host has no such call of its own: the suite then calls
   * `runs.admitResume` itself, and `createRunIn`.
   */
  createResume?(run: NewRun, pausedRunId: string): MaybePromise<boolean>;

  /**
   * Inserts a run in the transaction that `admitResume` hands to its `create`, as its driver asks for it:
   * the answer is what `create` returns. Left out where only the host itself can, and where the driver
   * has no `admitResume`.
   */
  createRunIn?(transaction: unknown, run: NewRun): unknown;

  /** The host's own, unconditional write of a status. */
  setStatus(runId: string, status: RunStatus): MaybePromise<unknown>;

  deleteRun(runId: string): MaybePromise<unknown>;

  /** Deletes the thread, and with it its runs. */
  deleteThread(threadId: string): MaybePromise<unknown>;

  /** The run's row as it is serialized for a client, or null for a run that is not there. */
  getRun(runId: string): MaybePromise<RunRow | null>;

  /**
   * Everything else about the run that a client can read: lists, its thread, events, payloads. No
   * result and no mark may be in there.
   */
  readingsOf?(runId: string): MaybePromise<unknown>;

  /**
   * Runs the work in one transaction of the host: committed when it resolves, rolled back when it
   * rejects. Left out where a store has none, and where its driver has no `attachMany` and `copyMany`
   * to take part in one.
   */
  transaction?(work: (inside: HostTransaction) => Promise<void>): Promise<void>;

  /** A second, independent connection to the same data. Left out where there can be only one. */
  connect?(): MaybePromise<StoreUnderTest>;

  /** Closes this store, and opens the same data again. Left out where nothing outlives the process. */
  reopen?(): MaybePromise<StoreUnderTest>;

  close(): MaybePromise<unknown>;

  /** What the driver does run by run, so that the cases of its one step do not apply. */
  readonly oneByOne?: readonly OneByOne[];
}

/** Opens a store for one case, which closes it. */
export type OpenStore = () => MaybePromise<StoreUnderTest>;
