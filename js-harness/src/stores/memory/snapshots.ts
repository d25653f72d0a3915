/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { ResultEntry } from "skein-results";
import type { MemoryResultDriver } from "skein-results/memory";

import type { HydratableStore, SkeinStoreSnapshot } from "../contract.js";
import { atOnce, snapshotResults } from "../snapshot-results.js";
import {
  importedRuns,
  readSnapshot,
  SNAPSHOT_VERSION,
  type SnapshotRows,
} from "../snapshot-rows.js";

import type { MemoryTables } from "./tables.js";

/** Saving and loading a memory store; each step is one turn of the event loop. */
export function memorySnapshots(
  tables: MemoryTables,
  driver: MemoryResultDriver,
): Pick<HydratableStore, "snapshot" | "restore" | "hydrate"> {
  const insertAbsent = (rows: SnapshotRows): void => {
    const brought = new Set(rows.threads.map(({ thread_id }) => thread_id));
    const runs = importedRuns(
      rows,
      (threadId) => brought.has(threadId) || tables.threads.has(threadId),
      (runId) => {
        const run = tables.runs.get(runId);
        if (!run) return null;
        return { runId, threadId: run.thread_id, kwargs: tables.runKwargs.get(runId) ?? {} };
      },
    );
    for (const row of rows.assistants) addAbsent(tables.assistants, row.assistant_id, row);
    for (const row of rows.threads) addAbsent(tables.threads, row.thread_id, row);
    for (const { run, kwargs } of runs) {
      tables.runs.set(run.run_id, run);
      if (kwargs) tables.runKwargs.set(run.run_id, kwargs);
    }
    atOnce(driver.attachMany(rows.results));
  };

  return {
    snapshot: async () => {
      const rows: SkeinStoreSnapshot = structuredClone({
        version: SNAPSHOT_VERSION,
        assistants: [...tables.assistants],
        threads: [...tables.threads],
        runs: [...tables.runs],
        runKwargs: [...tables.runKwargs],
      });
      const stored: readonly ResultEntry[] = atOnce(driver.readMany([...tables.runs.keys()]));
      return { ...rows, results: await snapshotResults(stored) };
    },
    restore: async (snapshot) => insertAbsent(readSnapshot(snapshot)),
    hydrate: (snapshot) => {
      const rows = readSnapshot(snapshot);
      for (const table of [tables.assistants, tables.threads, tables.threadExpiry]) table.clear();
      for (const table of [tables.runs, tables.runKwargs]) table.clear();
      driver.clear();
      insertAbsent(rows);
    },
  };
}

function addAbsent<Row>(table: Map<string, Row>, id: string, row: Row): void {
  if (!table.has(id)) table.set(id, row);
}
