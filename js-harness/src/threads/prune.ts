import type { Engine } from "../engine/engine.js";
import { withThreadExecution } from "../engine/thread-execution.js";

import { keepLatestCheckpoints } from "./checkpoint-pruning/keep-latest.js";

/** `delete` removes threads; `keep_latest` removes their history and keeps their present state. */
export type PruneStrategy = "delete" | "keep_latest";

export interface PruneRequest {
  thread_ids: readonly string[];
  /** @defaultValue `"delete"` */
  strategy?: PruneStrategy;
}

export interface PruneAnswer {
  /** Threads that were changed. Unknown ones are left out, and so are those that execute. */
  pruned_count: number;
}

/** Prunes each thread by itself: what has been removed cannot be given back if a later one fails. */
export async function pruneThreads(
  engine: Engine,
  { thread_ids, strategy = "delete" }: PruneRequest,
  deleteThread: (threadId: string) => Promise<void>,
): Promise<PruneAnswer> {
  let pruned = 0;
  for (const threadId of new Set(thread_ids)) {
    if (!(await engine.store.threads.get(threadId))) continue;
    if (strategy === "delete") {
      await deleteThread(threadId);
      pruned += 1;
    } else if (await keepLatest(engine, threadId)) {
      pruned += 1;
    }
  }
  return { pruned_count: pruned };
}

/** A thread with a run in flight is left alone: its checkpoints are being written. */
async function keepLatest(engine: Engine, threadId: string): Promise<boolean> {
  const { store, saver, executionLocks, gate } = engine;
  if (await store.runs.hasActiveRun(threadId)) return false;
  return withThreadExecution(executionLocks, gate, threadId, async () => {
    if (await store.runs.hasActiveRun(threadId)) return false;
    return keepLatestCheckpoints(saver, threadId);
  });
}
