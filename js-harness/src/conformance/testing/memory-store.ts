// The package's memory driver in a host of nothing but maps.

import { resultMethods, type RunStatus } from "skein-results";
import type { NewRun, StoreUnderTest } from "skein-results/conformance";
import { memoryDriver } from "skein-results/memory";

import { systemClock } from "./run-tables.js";

interface Row {
  run_id: string;
  thread_id: string;
  status: RunStatus;
  updated_at: string;
  metadata: object;
}

/** Opens an empty store. */
export function openMemoryDriver(clock = systemClock): StoreUnderTest {
  const rows = new Map<string, Row>();
  const kwargs = new Map<string, object>();
  const driver = memoryDriver({ runs: rows, kwargs: (runId) => kwargs.get(runId) });
  const now = () => clock().toISOString();
  const deleteRun = (runId: string) => {
    rows.delete(runId);
    kwargs.delete(runId);
    driver.erase(runId);
  };

  const createRun = (run: NewRun) => {
    // As the host's memory store does: a row under an id that exists is written over.
    deleteRun(run.runId);
    const { runId: run_id, threadId: thread_id, status, metadata = {} } = run;
    rows.set(run_id, { run_id, thread_id, status, updated_at: now(), metadata });
    kwargs.set(run_id, run.kwargs);
  };

  return {
    runs: resultMethods(driver, { clock }),
    createThread: () => undefined,
    createRun,
    createRunIn: (_transaction, run) => createRun(run),
    setStatus: (runId, status) => {
      const row = rows.get(runId);
      if (row) rows.set(runId, { ...row, status, updated_at: now() });
    },
    deleteRun,
    deleteThread: (threadId) => {
      for (const row of [...rows.values()]) if (row.thread_id === threadId) deleteRun(row.run_id);
    },
    getRun: (runId) => rows.get(runId) ?? null,
    close: () => undefined,
  };
}
