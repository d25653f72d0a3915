// Faults of drivers that start what has ended, or do not start what is in flight.

import type { StatusOutcome } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { isInFlight, writeOver } from "../testing/plain-driver.js";

const STARTED: StatusOutcome = { status: "running", won: true };

export const brokenStarts: BrokenStores = {
  "makes a run by starting it": {
    driver: (own, rows) => ({
      ...own,
      start: (runId, given) => {
        if (rows.has(runId)) return own.start(runId, given);
        const created = { threadId: "", status: "running" as const, kwargs: {}, metadata: {} };
        rows.set(runId, { ...created, updatedAt: given.at });
        return STARTED;
      },
    }),
    caughtBy: "an unknown run cannot be started, and is not made by it",
  },
  "starts a run that has ended": {
    driver: (own, rows) => ({
      ...own,
      start: (runId, { at }) => {
        if (!rows.has(runId)) return null;
        writeOver(rows, runId, () => ({ status: "running", updatedAt: at }));
        return STARTED;
      },
    }),
    caughtBy: [
      "a run that has ended is not started, and keeps its status, its time and its result",
      "a cancellation that comes while a run starts is never undone",
    ],
  },
  "writes the time of a start that lost": {
    driver: (own, rows) => ({
      ...own,
      start: (runId, given) => {
        writeOver(rows, runId, () => ({ updatedAt: given.at }));
        return own.start(runId, given);
      },
    }),
    caughtBy: "a run that has ended is not started, and keeps its status, its time and its result",
  },
  "starts only a run that waits": {
    driver: (own, rows) => ({
      ...own,
      start: (runId, given) => {
        const status = rows.get(runId)?.status;
        return status === "running" ? { status, won: false } : own.start(runId, given);
      },
    }),
    caughtBy: "a run that waits is started, and one that was left running is started again",
  },
  "checks before a start and writes in another turn": {
    driver: (own, rows) => ({
      ...own,
      start: async (runId, { at }): Promise<StatusOutcome | null> => {
        const row = rows.get(runId);
        if (!row) return null;
        if (!isInFlight(row.status)) return { status: row.status, won: false };
        await aTurn();
        writeOver(rows, runId, () => ({ status: "running", updatedAt: at }));
        return STARTED;
      },
    }),
    caughtBy: [
      "a cancellation that comes while a run starts is never undone",
      "a cancellation over another connection while a run starts is never undone",
    ],
  },
};
