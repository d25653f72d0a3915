// Threads as the protocol offers them. The row lives in the store, the state in the saver; whatever
// changes the saver's part does so while it has the thread to itself.

import { isTerminalRunStatus } from "skein-results";

import type { Engine } from "../engine/engine.js";
import { statusOfSnapshot } from "../engine/outcome.js";
import { withThreadExecution } from "../engine/thread-execution.js";
import { mirrorSnapshot } from "../engine/thread-mirror.js";
import {
  SkeinHttpError,
  type Checkpoint,
  type Metadata,
  type Thread,
  type ThreadCreate,
  type ThreadSearchQuery,
  type ThreadState,
} from "../stores/contract.js";

import { copyThread } from "./copy-thread.js";
import { getOrCreateThread } from "./get-or-create.js";
import { pruneThreads, type PruneAnswer, type PruneRequest } from "./prune.js";
import { graphOfThread, readHistory, readState, type HistoryQuery } from "./thread-state.js";

export interface CreateThreadRequest extends ThreadCreate {
  /** Whether a thread that exists is answered (`do_nothing`) or refused (`raise`, the default). */
  ifExists?: "raise" | "do_nothing";
}

export interface UpdateStateRequest {
  values: unknown;
  /** The checkpoint to branch from; the thread's tip when absent. */
  checkpoint?: Partial<Pick<Checkpoint, "checkpoint_id" | "checkpoint_ns" | "checkpoint_map">>;
  asNode?: string;
}

export interface ThreadService {
  create(request?: CreateThreadRequest): Promise<Thread>;
  /** @throws 404 */
  get(threadId: string): Promise<Thread>;
  search(query: ThreadSearchQuery): Promise<Thread[]>;
  count(query: ThreadSearchQuery): Promise<number>;
  /** Merges into the thread's metadata. */
  updateMetadata(threadId: string, metadata: Metadata): Promise<Thread>;
  /** Deletes the thread with its runs, their results and its checkpoints. */
  delete(threadId: string): Promise<void>;
  /**
   * Copies the thread with its checkpoints, its runs that have ended and their results. @throws 404
   */
  copy(threadId: string): Promise<Thread>;
  prune(request: PruneRequest): Promise<PruneAnswer>;
  /** The present state, or the one at a checkpoint. */
  getState(
    threadId: string,
    at?: Partial<Pick<Checkpoint, "checkpoint_id" | "checkpoint_ns">>,
  ): Promise<ThreadState>;
  history(threadId: string, query?: HistoryQuery): Promise<ThreadState[]>;
  /** Writes a state as a node would; answers the new checkpoint. */
  updateState(threadId: string, request: UpdateStateRequest): Promise<{ checkpoint: Checkpoint }>;
}

/** @param stopRun stops a run that may wait or execute here, before its row is deleted */
export function createThreadService(
  engine: Engine,
  stopRun: (runId: string) => void,
): ThreadService {
  const { store, saver, graphs } = engine;

  const get = async (threadId: string): Promise<Thread> => {
    const thread = await store.threads.get(threadId);
    if (!thread) throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
    return thread;
  };
  const graphOf = async (threadId: string) => graphOfThread(store, graphs, await get(threadId));
  const withThread = <T>(threadId: string, task: () => Promise<T>): Promise<T> =>
    withThreadExecution(engine.executionLocks, engine.gate, threadId, task);

  const deleteThread = async (threadId: string): Promise<void> => {
    await get(threadId);
    const runs = await store.runs.listByThread(threadId);
    for (const run of runs) if (!isTerminalRunStatus(run.status)) stopRun(run.run_id);
    await withThread(threadId, async () => {
      // The row goes last: a deletion that fails half way is still there to be asked for again.
      await saver.deleteThread(threadId);
      await store.threads.delete(threadId);
    });
    for (const run of runs) engine.endings.announce(run.run_id);
  };

  return {
    get,
    create({ ifExists = "raise", ...input } = {}) {
      const { thread_id, ...rest } = input;
      if (thread_id === undefined || ifExists === "raise") return store.threads.create(input);
      return getOrCreateThread(store.threads, thread_id, rest);
    },
    search: (query) => store.threads.search(query),
    count: (query) => store.threads.count(query),
    async updateMetadata(threadId, metadata) {
      const thread = await get(threadId);
      return store.threads.update(threadId, { metadata: { ...thread.metadata, ...metadata } });
    },
    delete: deleteThread,
    copy: (threadId) => copyThread(engine, threadId),
    prune: (request) => pruneThreads(engine, request, deleteThread),
    getState: async (threadId, at) => readState(await graphOf(threadId), threadId, at),
    history: async (threadId, query = {}) => readHistory(await graphOf(threadId), threadId, query),
    async updateState(threadId, { values, checkpoint, asNode }) {
      const graph = await graphOf(threadId);
      if (!graph) {
        throw SkeinHttpError.unprocessable(
          `Thread "${threadId}" has no graph to update state with.`,
        );
      }
      return withThread(threadId, async () => {
        if (await store.runs.hasActiveRun(threadId)) {
          throw SkeinHttpError.conflict(
            `Thread "${threadId}" is busy; update it when its run has ended.`,
          );
        }
        const config = { configurable: { checkpoint_ns: "", ...checkpoint, thread_id: threadId } };
        await graph.updateState(config, values, asNode);
        const snapshot = await graph.getState({ configurable: { thread_id: threadId } });
        const status = statusOfSnapshot(snapshot);
        await mirrorSnapshot(store.threads, threadId, snapshot, status);
        return { checkpoint: (await readState(graph, threadId)).checkpoint };
      });
    },
  };
}
