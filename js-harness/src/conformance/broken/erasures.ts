// Faults of stores whose results outlive their runs.

import type { ResultDriver, ResultTexts } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStore, BrokenStores } from "../testing/broken-store.js";
import type { PlainHost } from "../testing/plain-store.js";

/** A driver with results in a table of their own, and a host that erases them in its own way. */
const withSideTable = (
  caughtBy: BrokenStore["caughtBy"],
  host: (own: PlainHost, results: Map<string, ResultTexts>) => Partial<PlainHost>,
  driver: (
    own: ResultDriver,
    results: Map<string, ResultTexts>,
  ) => Partial<ResultDriver> = () => ({}),
): BrokenStore => {
  // One for all stores: no two cases use the same id.
  const results = new Map<string, ResultTexts>();
  return {
    driver: (_own, rows) => {
      const own: ResultDriver = {
        record: (runId, texts) => {
          if (rows.has(runId) && !results.has(runId)) results.set(runId, texts);
        },
        read: (runId) => (rows.has(runId) ? results.get(runId) : null),
      };
      return { ...own, ...driver(own, results) };
    },
    host: (own) => host(own, results),
    oneByOne: ["attachResults", "copyResults"],
    caughtBy,
  };
};

export const brokenErasures: BrokenStores = {
  "forgets to erase with the run": withSideTable(
    "deleting a run erases its result and no other",
    () => ({}),
    (_own, results) => ({ read: (runId) => results.get(runId) }),
  ),
  "hides the result of a deleted run, and shows it to the next": withSideTable(
    "a run created under the id of a deleted one starts without a result",
    () => ({}),
  ),
  "forgets to erase with the thread": withSideTable(
    [
      "deleting a thread erases the results of its runs and no other",
      "a run created again on a thread created again starts without a result",
    ],
    (own, results) => ({
      deleteRun: (rows, runId) => {
        own.deleteRun(rows, runId);
        results.delete(runId);
      },
    }),
    (_own, results) => ({ read: (runId) => results.get(runId) }),
  ),
  "erases the results of the whole thread with one run": {
    host: (own) => ({
      deleteRun: (rows, runId) => {
        const threadId = rows.get(runId)?.threadId;
        for (const row of rows.values()) if (row.threadId === threadId) delete row.texts;
        own.deleteRun(rows, runId);
      },
    }),
    caughtBy: "deleting a run erases its result and no other",
  },
  "lets a result survive when its run is written over": {
    host: (own) => ({
      createRun: (rows, run) => {
        const texts = rows.get(run.runId)?.texts;
        rows.delete(run.runId);
        own.createRun(rows, run);
        const row = rows.get(run.runId);
        if (row && texts) row.texts = texts;
      },
    }),
    caughtBy: "a run written over under its id starts without a result, or the creation is refused",
  },
  "keeps a late capture for a run to come": {
    driver: (own, rows) => {
      const early = new Map<string, ResultTexts>();
      return {
        ...own,
        record: (runId, texts) => {
          if (!rows.has(runId)) early.set(runId, texts);
          return own.record(runId, texts);
        },
        read: (runId) => {
          const row = rows.get(runId);
          return row && (row.texts ?? early.get(runId));
        },
      };
    },
    caughtBy: "a capture that comes after the erasure is a quiet no-op",
  },
  "exports what was erased": {
    driver: (own) => {
      const exported = new Map<string, ResultTexts>();
      return {
        ...own,
        readMany: async (runIds) => {
          for (const [runId, texts] of await own.readMany(runIds)) exported.set(runId, texts);
          return [...exported].filter(([runId]) => runIds.includes(runId));
        },
        record: (runId, texts) => {
          if (!exported.has(runId)) exported.set(runId, texts);
          return own.record(runId, texts);
        },
      };
    },
    caughtBy: "an erased result is not exported",
  },
  "fails on a late capture": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (!rows.has(runId)) throw new Error("violates a foreign key");
        return own.record(runId, texts);
      },
    }),
    caughtBy: "a capture that comes after the erasure of the thread is a quiet no-op",
  },
  "looks for the run first and writes in another turn": withSideTable(
    [
      "a record that races with the deletion of its run leaves nothing",
      "a record that races with the deletion of its run over another connection leaves nothing",
    ],
    (own, results) => ({
      deleteRun: (rows, runId) => {
        own.deleteRun(rows, runId);
        results.delete(runId);
      },
    }),
    (own, results) => ({
      record: async (runId, texts) => {
        // Null for a run that is not there, undefined for one that has no result.
        if ((await own.read(runId)) !== undefined) return;
        await aTurn();
        results.set(runId, texts);
      },
    }),
  ),
};
