// Faults of stores that do not last, or that keep what each connection has seen to itself.

import type { ResultDriver, ResultTexts } from "skein-results";

import type { BrokenStores } from "../testing/broken-store.js";
import type { PlainRow, PlainRows } from "../testing/plain-driver.js";

export const brokenLasting: BrokenStores = {
  "loses results when it is closed": {
    host: () => ({
      kept: ({ texts, ...row }) => row,
    }),
    caughtBy: "a recorded result is there after closing and opening",
  },
  "forgets the ends that it wrote when it is closed": {
    host: () => ({
      kept: (row) => (row.status === "success" ? { ...row, status: "running" } : row),
    }),
    caughtBy: "a settled run is there after closing and opening",
  },
  "keeps what it imported and copied in the process": {
    driver: (own, rows) => {
      const unsaved: PlainRows = new Map();
      const save = (runIds: readonly string[]) => {
        for (const runId of runIds) {
          const row = rows.get(runId);
          if (!row?.texts) continue;
          unsaved.set(runId, row);
          rows.set(runId, withoutTexts(row));
        }
      };
      return {
        ...own,
        read: (runId) => rows.get(runId)?.texts ?? unsaved.get(runId)?.texts,
        attachMany: async (entries, transaction) => {
          await own.attachMany(entries, transaction);
          save(entries.map(([runId]) => runId));
        },
        copyMany: async (copies, checkpointFor, transaction) => {
          await own.copyMany(copies, checkpointFor, transaction);
          save(copies.map(({ to }) => to));
        },
      };
    },
    caughtBy: [
      "an imported result is there after closing and opening",
      "a copied result is there after closing and opening",
    ],
  },
  "remembers in the process alone what was erased": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (rows.has(runId) && !ON_DISK.has(runId)) ON_DISK.set(runId, texts);
      },
      read: (runId) => (ERASED.get(rows)?.has(runId) ? null : ON_DISK.get(runId)),
    }),
    host: (own) => ({
      deleteRun: (rows, runId) => {
        ERASED.set(rows, (ERASED.get(rows) ?? new Set()).add(runId));
        own.deleteRun(rows, runId);
      },
    }),
    caughtBy: "an erased result is gone after closing and opening",
  },
  "forgets a cancellation when it is closed": {
    host: () => ({
      kept: (row) => (row.status === "cancelled" ? { ...row, status: "running" } : row),
    }),
    caughtBy: "a cancelled run is there after closing and opening",
  },
  "loses a member when it is closed": {
    host: () => ({
      kept: ({ texts, ...row }) =>
        texts ? { ...row, texts: { ...texts, checkpoint: null } } : row,
    }),
    caughtBy: "a recorded result is there after closing and opening",
  },
  "lets the next write win after it was closed": {
    driver: (own, rows): ResultDriver => {
      const written = new Set<string>();
      return {
        ...own,
        record: (runId, texts) => {
          const row = rows.get(runId);
          if (row && !written.has(runId)) rows.set(runId, { ...row, texts });
          written.add(runId);
        },
      };
    },
    caughtBy: "a recorded result is there after closing and opening",
  },
  "remembers that there was no result": {
    driver: (own) => {
      const without = new Set<string>();
      return {
        ...own,
        read: (runId) => {
          const texts = without.has(runId) ? undefined : own.read(runId);
          if (!texts) without.add(runId);
          return texts;
        },
        record: (runId, texts) => {
          without.delete(runId);
          return own.record(runId, texts);
        },
      };
    },
    caughtBy: "what one connection writes the other reads",
  },
  "locks only within one connection": {
    driver: (own, rows) => {
      const recorded = new Set<string>();
      return {
        ...own,
        record: (runId, texts) => {
          const row = rows.get(runId);
          if (row && !recorded.has(runId)) rows.set(runId, { ...row, texts });
          recorded.add(runId);
        },
      };
    },
    caughtBy: "a later write over another connection does not replace the first",
  },
};

const ON_DISK = new Map<string, ResultTexts>();
const ERASED = new WeakMap<PlainRows, Set<string>>();

function withoutTexts({ texts, ...row }: PlainRow): PlainRow {
  return row;
}
