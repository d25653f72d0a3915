// Runs that a process left in flight when it died. They are executed again from their kwargs.

import type { Engine } from "./engine.js";
import type { RunQueue } from "./run-queue.js";

/**
 * Queues the runs in flight of a durable store, in the order of their admission on each thread.
 *
 * A run that executes in another process right now is among them: it is queued here too, waits for its
 * thread at the gate, and has ended when its turn comes.
 */
export async function recoverRuns(engine: Engine, queue: RunQueue): Promise<void> {
  const { runs, durable, maxPageSize } = engine.store;
  if (durable !== true) return;
  const active = await runs.listActiveRuns();
  const recovered: Promise<unknown>[] = [];
  for (const threadId of new Set(active.map((run) => run.thread_id))) {
    const inFlight = new Set((await runs.listActiveRuns(threadId)).map((run) => run.run_id));
    for (const run of await runs.listByThread(threadId)) {
      const isLeft = inFlight.has(run.run_id) && !queue.has(run.run_id);
      if (isLeft) recovered.push(queue.push(run));
    }
  }
  // A full page means that there may be more; they are looked for when these have ended.
  if (recovered.length > 0 && active.length === maxPageSize) {
    void Promise.allSettled(recovered)
      .then(() => recoverRuns(engine, queue))
      .catch((error: unknown) => engine.log("Not all runs in flight could be recovered.", error));
  }
}
