// Runs: one execution of a graph on a thread, and the opaque payload it is executed from.

import type { ResultMethods } from "skein-results";

import type { FinalizedRun, RunFinalization } from "./deliveries.js";
import type { Pagination } from "./pagination.js";
import type { ThreadCreate } from "./threads.js";
import type {
  Assistant,
  Config,
  Metadata,
  MultitaskStrategy,
  Run,
  RunError,
  RunStatus,
  StreamMode,
} from "./wire.js";

/**
 * What the engine needs to execute a run, kept beside the row and never on the wire, so that a run
 * can be picked up later or elsewhere from its id alone. Keys that the server owns live at the top
 * level, next to what the client sent: a request is copied in field by field, never as a whole.
 */
export interface RunKwargs {
  /** Input of a new turn; absent when the run resumes. */
  input?: unknown;
  command?: { resume?: unknown; update?: unknown; goto?: unknown };
  config?: Config;
  context?: unknown;
  stream_mode?: StreamMode | StreamMode[];
  interrupt_before?: string[] | "*";
  interrupt_after?: string[] | "*";
  /** Where to announce the end of the run. */
  webhook?: string;
  /** The checkpoint to branch from instead of the thread's tip. */
  checkpoint_id?: string;
  /**
   * The thread's tip when the run began to execute. Absent: never recorded, so a rollback leaves the
   * checkpoints alone; `null`: the thread had none, so a rollback removes all; a string: the
   * checkpoint that a rollback goes back to.
   */
  base_checkpoint_id?: string | null;
  /** What a `rollback` run does to the thread before it executes. */
  rollback_plan?: {
    /** `false` when no displaced run had written anything, so only rows are removed. */
    revert_to_checkpoint: { base_checkpoint_id: string | null } | false;
    displaced_run_ids: string[];
  };
  /** Delete the thread when the run has ended: the server made it for this run alone. */
  delete_thread_on_completion?: boolean;
  /** The paused run that this one resumes, and the checkpoint that it paused at. */
  resumes?: { run_id: string; checkpoint_id: string };
}

export interface RunCreate {
  thread_id: string;
  assistant_id: string;
  /** Assigned by the store when absent. */
  run_id?: string;
  /** `pending` when absent. */
  status?: RunStatus;
  metadata?: Metadata;
  multitask_strategy?: MultitaskStrategy | null;
  kwargs?: RunKwargs;
}

/** The thread that a run is created with, but for its id. */
export type NewThread = Omit<ThreadCreate, "thread_id">;

/** The filter is applied before paging, so `limit` and `offset` count matching runs only. */
export interface RunListQuery extends Pagination {
  status?: RunStatus;
}

/** A run that was created together with its thread, and what it executes. */
export interface RunOnNewThread {
  run: Run;
  assistant: Assistant;
}

/**
 * The methods from `finalizeWithDelivery` on are optional: a store made by somebody else may lack them. Whoever needs
 * one asks `typeof runs.recordResult === "function"` and calls it on the object.
 */
export interface RunRepo {
  get(runId: string): Promise<Run | null>;
  /** A thread's runs in the order they were created; all of them without a limit. */
  listByThread(threadId: string, query?: RunListQuery): Promise<Run[]>;
  /** SQL refuses an id that exists (409). Memory overwrites the row, and nothing of the old one stays. */
  create(input: RunCreate): Promise<Run>;
  /**
   * Creates a run only if its thread exists and has no run in flight; null otherwise. Check and
   * insert are indivisible against other connections, not only against callers in this process.
   */
  createIfThreadIdle(input: RunCreate): Promise<Run | null>;
  /**
   * Writes the status whatever it was before, and the error with it: leaving `error` out clears an
   * earlier one, so that a row's error always explains its present status. 404 for an unknown run.
   */
  setStatus(runId: string, status: RunStatus, error?: RunError): Promise<Run>;
  delete(runId: string): Promise<void>;
  getKwargs(runId: string): Promise<RunKwargs | null>;
  /** Sets `base_checkpoint_id` and leaves the rest of the kwargs alone; nothing for an unknown run. */
  recordBaseCheckpoint(runId: string, baseCheckpointId: string | null): Promise<void>;
  /** Whether a run of the thread is pending or running. */
  hasActiveRun(threadId: string): Promise<boolean>;
  /** Runs in flight, of one thread or, bounded by the page size, of all. */
  listActiveRuns(threadId?: string): Promise<Run[]>;
  /** The run that was created last, also when several were created in one millisecond. */
  latestForThread(threadId: string): Promise<Run | null>;
  /**
   * In one transaction: writes the status if the run is still in flight, and inserts the delivery in
   * any case, stamped with the status that the run then has. A run that is gone still gets its
   * delivery, with the status asked for.
   */
  finalizeWithDelivery?(runId: string, final: RunFinalization): Promise<FinalizedRun>;

  /** Keeps a run's result; the first one stays. */
  recordResult?: ResultMethods["recordResult"];
  /** The kept result, or null. */
  getResult?: ResultMethods["getResult"];
  /** Ends a run that is still in flight and keeps its result, in one write. */
  settleRun?: NonNullable<ResultMethods["settleRun"]>;
  /** Cancels a run that is still in flight. */
  cancelRun?: NonNullable<ResultMethods["cancelRun"]>;
  /** Starts a run that is still in flight; one that has ended is not to be executed. */
  startRun?: NonNullable<ResultMethods["startRun"]>;
  /** The kept results of these runs, as entries of a snapshot. */
  exportResults?: ResultMethods["exportResults"];

  /** A page of tasks, straight from the runs' rows. */
  taskPage?: NonNullable<ResultMethods["taskPage"]>;
  /** Cancels a paused task's last run. */
  cancelPausedRun?: NonNullable<ResultMethods["cancelPausedRun"]>;
  /** Cancels the paused tasks that a run which has started leaves behind on its thread. */
  passOverPaused?: NonNullable<ResultMethods["passOverPaused"]>;
  /**
   * Creates the run that resumes a paused one, if that is still the last of its thread and none is in
   * flight; null otherwise. Check and insert are one step, as for `createIfThreadIdle`.
   */
  createResume?(input: RunCreate, pausedRunId: string): Promise<Run | null>;
  /**
   * Creates a run and its thread in one step, which also looks the assistant up and names its graph with
   * the thread, as `ThreadUpdate.graph` does; null if there is a thread of that id already.
   *
   * Optional; without it the thread is created before the run, and stays where that fails.
   *
   * @throws 404 for an unknown assistant; nothing is created
   */
  createOnNewThread?(input: RunCreate, thread?: NewThread): Promise<RunOnNewThread | null>;
}

/** Statuses of a run that holds its thread. `interrupted` is none: a resume is a new run. */
export const INFLIGHT_RUN_STATUSES = ["pending", "running"] as const satisfies RunStatus[];

/** Every status, for checking a text that came from outside. */
export const RUN_STATUSES = Object.keys({
  pending: true,
  running: true,
  success: true,
  error: true,
  timeout: true,
  interrupted: true,
  cancelled: true,
} satisfies Record<RunStatus, true>) as readonly RunStatus[];

export function isInflightRunStatus(status: RunStatus): boolean {
  return status === "pending" || status === "running";
}
