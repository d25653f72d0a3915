// The reference host's stores, as the suite sees them: nothing but calls of the seam.

import type { HostTransaction, NewRun, StoreUnderTest } from "skein-results/conformance";

import { offers } from "../../auth/offers.js";
import type { RunCreate, RunRepo, SkeinStore } from "../../stores/contract.js";

/** A store that is open, and what can be done with it beside the seam. */
export interface OpenSkeinStore extends Pick<
  StoreUnderTest,
  "close" | "connect" | "reopen" | "oneByOne"
> {
  store: SkeinStore;
  /** The host's transaction, where runs can be created in one through the seam. */
  transaction?: (work: () => Promise<void>) => Promise<void>;
}

function rowOf({ runId, threadId, status, kwargs, metadata }: NewRun): RunCreate {
  return {
    run_id: runId,
    thread_id: threadId,
    assistant_id: "echo",
    status,
    kwargs,
    ...(metadata ? { metadata } : {}),
  };
}

function resuming(runs: Pick<Required<RunRepo>, "createResume">) {
  return async (run: NewRun, pausedRunId: string): Promise<boolean> =>
    (await runs.createResume(rowOf(run), pausedRunId)) !== null;
}

export function underTest({ store, transaction, ...place }: OpenSkeinStore): StoreUnderTest {
  const { threads, runs, deliveries } = store;
  const createRun = (run: NewRun) => runs.create(rowOf(run));

  return {
    ...place,
    runs,
    createThread: (thread_id) => threads.create({ thread_id }),
    createRun,
    ...(offers(runs, "createResume") ? { createResume: resuming(runs) } : {}),
    setStatus: (runId, status) => runs.setStatus(runId, status),
    deleteRun: (runId) => runs.delete(runId),
    deleteThread: (threadId) => threads.delete(threadId),
    getRun: (runId) => runs.get(runId),
    readingsOf: async (runId) => {
      const thread_id = (await runs.get(runId))?.thread_id ?? "";
      return [
        await runs.listByThread(thread_id),
        await runs.latestForThread(thread_id),
        await runs.listActiveRuns(thread_id),
        await threads.get(thread_id),
        await threads.search({ ids: [thread_id] }),
        await deliveries?.listByRun(runId),
      ];
    },
    ...(transaction
      ? {
          transaction: (work: (inside: HostTransaction) => Promise<void>) =>
            transaction(() => work({ handle: undefined, createRun })),
        }
      : {}),
  };
}
