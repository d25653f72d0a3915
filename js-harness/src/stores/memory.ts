// The store that lives in the process: plain maps, and copies at every border.

import { resultMethods } from "skein-results";
import { memoryDriver } from "skein-results/memory";

import {
  requireValidMaxPageSize,
  type DeliveryCreate,
  type HydratableStore,
  type StoreOptions,
} from "./contract.js";
import { memoryAssistants } from "./memory/assistants.js";
import { insertDelivery, memoryDeliveries } from "./memory/deliveries.js";
import { memoryRuns } from "./memory/runs.js";
import { memorySnapshots } from "./memory/snapshots.js";
import { emptyTables } from "./memory/tables.js";
import { memoryThreadCopy } from "./memory/thread-copies.js";
import { memoryThreads } from "./memory/threads.js";

/** An open memory store. */
export interface MemoryStore {
  store: HydratableStore;
  /** Nothing to release: what was stored goes with the last reference to it. */
  close: () => Promise<void>;
}

/**
 * Opens an empty store in memory.
 *
 * @example
 * ```ts
 * const { store } = openMemoryStore();
 * const thread = await store.threads.create();
 * ```
 */
export function openMemoryStore(options: StoreOptions = {}): MemoryStore {
  const maxPageSize = requireValidMaxPageSize(options.maxPageSize);
  const tables = emptyTables();
  const results = memoryDriver({
    runs: tables.runs,
    kwargs: (runId) => tables.runKwargs.get(runId),
    deliver: (runId, delivery, status) => {
      insertDelivery(tables, runId, status, delivery as DeliveryCreate);
    },
  });
  const eraseRun = (runId: string): void => {
    tables.runs.delete(runId);
    tables.runKwargs.delete(runId);
    results.erase(runId);
  };

  return {
    store: {
      assistants: memoryAssistants(tables, maxPageSize),
      threads: {
        ...memoryThreads(tables, maxPageSize, eraseRun),
        copyWithRuns: memoryThreadCopy(tables, results, eraseRun),
      },
      runs: memoryRuns(tables, { maxPageSize, results: resultMethods(results), eraseRun }),
      deliveries: memoryDeliveries(tables, maxPageSize),
      ...memorySnapshots(tables, results),
      durable: false,
      maxPageSize,
    },
    close: async () => {},
  };
}
