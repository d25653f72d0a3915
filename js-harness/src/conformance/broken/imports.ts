// Faults of drivers that export or import more than they should, or less.

import type { ResultEntry, ResultTexts } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { isInFlight, rowsOf, type PlainRows } from "../testing/plain-driver.js";

function put(rows: PlainRows, runId: string, texts: ResultTexts): void {
  const row = rows.get(runId);
  if (row) rows.set(runId, { ...row, texts });
}

export const brokenImports: BrokenStores = {
  "exports every result that there is": {
    driver: (own, rows) => ({
      ...own,
      readMany: () =>
        [...rows].flatMap(([runId, { texts }]): ResultEntry[] => (texts ? [[runId, texts]] : [])),
    }),
    caughtBy: "an export holds the results of the runs that were asked for, and of no others",
  },
  "exports a page at most": {
    driver: (own) => ({
      ...own,
      readMany: async (runIds) => (await own.readMany(runIds)).slice(0, 10),
    }),
    caughtBy: "an export of many runs leaves none out",
  },
  "exports only values": {
    driver: (own) => ({
      ...own,
      readMany: async (runIds) =>
        (await own.readMany(runIds)).map(([runId, { values }]): ResultEntry => [
          runId,
          { values, interrupts: null, reply: null, checkpoint: null },
        ]),
    }),
    caughtBy: "an export is JSON as it is, and reads back the same",
  },
  "replaces a result by an import": {
    driver: (own, rows) => ({
      ...own,
      attachMany: (entries, transaction) => {
        for (const [runId, texts] of entries) put(rowsOf(transaction) ?? rows, runId, texts);
      },
    }),
    caughtBy: "an import does not replace a result, and adds no member to it",
  },
  "fails on an orphan": {
    driver: (own, rows) => ({
      ...own,
      attachMany: (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        if (entries.some(([runId]) => !on.has(runId))) throw new Error("violates a foreign key");
        return own.attachMany(entries, transaction);
      },
    }),
    caughtBy: [
      "an orphan is ignored, and the entries beside it attach",
      "an import that comes after the erasure is a quiet no-op",
    ],
  },
  "stops at an orphan": {
    driver: (own, rows) => ({
      ...own,
      attachMany: (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        const orphan = entries.findIndex(([runId]) => !on.has(runId));
        const attached = orphan < 0 ? entries : entries.slice(0, orphan);
        return own.attachMany(attached, transaction);
      },
    }),
    caughtBy: "an orphan is ignored, and the entries beside it attach",
  },
  "keeps an orphan for a run to come": {
    driver: (own, rows) => {
      const orphans = new Map<string, ResultTexts>();
      return {
        ...own,
        attachMany: (entries, transaction) => {
          const on = rowsOf(transaction) ?? rows;
          for (const [runId, texts] of entries) if (!on.has(runId)) orphans.set(runId, texts);
          return own.attachMany(entries, transaction);
        },
        read: (runId) => {
          const row = rows.get(runId);
          return row && (row.texts ?? orphans.get(runId));
        },
      };
    },
    caughtBy: "an orphan is ignored, and the entries beside it attach",
  },
  "attaches only to runs that have ended": {
    driver: (own, rows) => ({
      ...own,
      attachMany: (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        const ended = entries.filter(([runId]) => !isInFlight(on.get(runId)?.status ?? "success"));
        return own.attachMany(ended, transaction);
      },
    }),
    caughtBy: "an entry attaches to its run, whatever the run's status",
  },
  "touches the runs that it attaches to": {
    driver: (own, rows) => ({
      ...own,
      attachMany: (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        for (const [runId] of entries) {
          const row = on.get(runId);
          if (row) on.set(runId, { ...row, updatedAt: new Date().toISOString() });
        }
        return own.attachMany(entries, transaction);
      },
    }),
    caughtBy: [
      "an import changes nothing in the rows of the runs",
      "importing twice changes nothing the second time",
    ],
  },
  "attaches one entry after the other": {
    driver: (own) => ({
      ...own,
      attachMany: async (entries, transaction) => {
        for (const entry of entries) {
          await aTurn();
          await own.attachMany([entry], transaction);
        }
      },
    }),
    caughtBy: "an import is seen as a whole or not at all",
  },
  "attaches only values": {
    driver: (own) => ({
      ...own,
      attachMany: (entries, transaction) =>
        own.attachMany(
          entries.map(([runId, { values }]) => [runId, { ...NOTHING, values }]),
          transaction,
        ),
    }),
    caughtBy: "an exported result that is imported reads as the one that was exported",
  },
  "fails on an import of no entries": {
    runs: (own) => ({
      ...own,
      attachResults: async (entries, transaction) => {
        if (entries.length === 0) throw new Error("syntax error at or near ()");
        await own.attachResults(entries, transaction);
      },
    }),
    caughtBy: "an import of no entries is a quiet no-op",
  },
  "keeps imported results apart from recorded ones": {
    driver: (own, rows) => {
      const imported = new Map<string, ResultTexts>();
      return {
        ...own,
        attachMany: (entries) => {
          for (const [runId, texts] of entries) imported.set(runId, texts);
        },
        read: (runId) => rows.get(runId)?.texts ?? imported.get(runId),
      };
    },
    caughtBy: "a first write after an import is none",
  },
  "reads whole rows and writes them back in another turn": {
    driver: (own, rows) => ({
      ...own,
      attachMany: async (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        for (const [runId, texts] of entries) {
          const row = on.get(runId);
          await aTurn();
          if (row && !on.get(runId)?.texts) on.set(runId, { ...row, texts });
        }
      },
    }),
    caughtBy:
      "an import that races with a write of the status over another connection attaches all the same",
  },
  "locks the runs in the order of the entries": {
    driver: (own, rows) => ({
      ...own,
      attachMany: async (entries, transaction) => {
        const locks = locksOf(rows);
        const held: string[] = [];
        try {
          for (const [runId] of entries) {
            for (let turn = 0; locks.has(runId); turn += 1) {
              if (turn === 20) throw new Error("deadlock detected");
              await aTurn();
            }
            locks.add(runId);
            held.push(runId);
            await Promise.resolve();
          }
          await own.attachMany(entries, transaction);
        } finally {
          for (const runId of held) locks.delete(runId);
        }
      },
    }),
    caughtBy: "two imports of the same runs in opposite orders over two connections both end well",
  },
  "looks first and attaches in another turn": {
    driver: (own, rows) => ({
      ...own,
      attachMany: async (entries, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        const empty = entries.filter(([runId]) => !on.get(runId)?.texts);
        await aTurn();
        for (const [runId, texts] of empty) put(on, runId, texts);
      },
    }),
    caughtBy: [
      "an import that races with a record leaves one result as a whole",
      "an import that races with a record over another connection leaves one result as a whole",
    ],
  },
  "attaches outside of the host's transaction": {
    driver: (own) => ({ ...own, attachMany: (entries) => own.attachMany(entries) }),
    caughtBy: "an import in the host's transaction attaches to the runs created in it",
  },
  "attaches inside and outside of the host's transaction": {
    driver: (own) => ({
      ...own,
      attachMany: async (entries, transaction) => {
        await own.attachMany(entries, transaction);
        await own.attachMany(entries);
      },
    }),
    caughtBy: "an import in a transaction that is rolled back leaves nothing",
  },
};

const NOTHING = { interrupts: null, reply: null, checkpoint: null };

/** The rows that somebody is writing, for all connections to the same data. */
function locksOf(rows: PlainRows): Set<string> {
  const locks = LOCKS.get(rows) ?? new Set<string>();
  LOCKS.set(rows, locks);
  return locks;
}

const LOCKS = new WeakMap<PlainRows, Set<string>>();
