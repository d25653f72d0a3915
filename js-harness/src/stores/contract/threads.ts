// Threads: the conversation that runs belong to, with the graph's latest state mirrored on the row.

import type { Pagination } from "./pagination.js";
import type { DefaultValues, Interrupt, Metadata, Thread, ThreadStatus } from "./wire.js";

export interface ThreadCreate {
  /** Assigned by the store when absent. */
  thread_id?: string;
  metadata?: Metadata;
  /** `idle` when absent. */
  status?: ThreadStatus;
  /** Minutes until the thread may be swept; absent or null for never. */
  ttl?: number | null;
}

/** Which threads a sweep takes. */
export interface ExpiredThreadsQuery {
  /** The server's clock. */
  now: string;
  limit: number;
}

/** What a copy of a thread is made of. */
export interface ThreadCopyRequest {
  /** The id of the copy. */
  thread_id: string;
  /** The runs to copy: of these, those that are there and have ended. */
  run_ids: readonly string[];
  /**
   * What belongs to the step as well and lives in the store's `copiesIn`: it is done first, on what the
   * transaction's statements run on. It may answer with a promise where those do.
   */
  beside?: (on: unknown) => void | Promise<void>;
}

/** Absent fields are left as they are. */
export interface ThreadUpdate {
  /** Replaces the metadata; merging is the service's business. */
  metadata?: Metadata;
  /** The graph that runs on the thread from now on: named in the metadata, beside what is there. */
  graph?: { graph_id: string; assistant_id: string };
  status?: ThreadStatus;
  /** Latest state of the graph; also moves `state_updated_at`. */
  values?: DefaultValues;
  /** Pending interrupts by task id. */
  interrupts?: Record<string, Interrupt[]>;
  /** Why the last turn failed; `null` clears it. */
  error?: string | null;
}

export type ThreadSortBy = "thread_id" | "status" | "created_at" | "updated_at";

/** Absent fields do not constrain. */
export interface ThreadSearchQuery extends Pagination {
  /** Threads whose metadata contains this. */
  metadata?: Metadata;
  status?: ThreadStatus;
  ids?: string[];
  /** @defaultValue `"created_at"`; equal keys are ordered by `thread_id` in the same direction. */
  sortBy?: ThreadSortBy;
  /** @defaultValue `"desc"` */
  sortOrder?: "asc" | "desc";
}

export interface ThreadRepo {
  get(threadId: string): Promise<Thread | null>;
  /** All threads, oldest first, up to the store's page size. */
  list(): Promise<Thread[]>;
  search(query: ThreadSearchQuery): Promise<Thread[]>;
  count(query: ThreadSearchQuery): Promise<number>;
  /** Refuses an id that exists (409). */
  create(input?: ThreadCreate): Promise<Thread>;
  /** Refuses an unknown thread (404). */
  update(threadId: string, patch: ThreadUpdate): Promise<Thread>;
  /** Duplicates the row under a new id; checkpoints and runs are copied by the thread service. */
  copy(threadId: string): Promise<Thread>;
  /**
   * Duplicates the row, `idle` if it was `busy`, and those runs that have ended, in their order, with
   * their kwargs and results, all in one step: nobody sees the copy without them.
   *
   * Optional; without it the service copies the row and creates the runs one by one, as ordinary runs.
   *
   * @throws 404, and what `beside` throws; nothing is copied then
   */
  copyWithRuns?(threadId: string, copy: ThreadCopyRequest): Promise<Thread>;
  /** The database that a copy is one transaction of: a connection of better-sqlite3, a pool of pg. */
  readonly copiesIn?: object;
  /** Ids of the threads whose time is up, the earliest first. Optional: without it nothing is swept. */
  listExpired?(query: ExpiredThreadsQuery): Promise<string[]>;
  /** Deletes the thread and, in the same step, its runs and what belongs to them. */
  delete(threadId: string): Promise<void>;
}
