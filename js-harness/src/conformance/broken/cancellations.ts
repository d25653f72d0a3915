// Faults of drivers whose cancellation ends what has ended, or does not end what is in flight.

import type { StatusOutcome } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { isInFlight, writeOver } from "../testing/plain-driver.js";

export const brokenCancellations: BrokenStores = {
  "cancels a run that has ended": {
    driver: (own, rows) => ({
      ...own,
      cancel: (runId, { at }) => {
        if (!rows.has(runId)) return null;
        writeOver(rows, runId, () => ({ status: "cancelled", updatedAt: at }));
        return { status: "cancelled", won: true };
      },
    }),
    caughtBy: "a run that has ended keeps its status, its time and its result",
  },
  "writes the time of a cancellation that lost": {
    driver: (own, rows) => ({
      ...own,
      cancel: (runId, given) => {
        writeOver(rows, runId, () => ({ updatedAt: given.at }));
        return own.cancel(runId, given);
      },
    }),
    caughtBy: "a run that has ended keeps its status, its time and its result",
  },
  "erases the result of a run that it did not cancel": {
    driver: (own, rows) => ({
      ...own,
      cancel: (runId, given) => {
        delete rows.get(runId)?.texts;
        return own.cancel(runId, given);
      },
    }),
    caughtBy: "a run that has ended keeps its status, its time and its result",
  },
  "cancels only a run that is executing": {
    driver: (own, rows) => ({
      ...own,
      cancel: (runId, given) =>
        rows.get(runId)?.status === "pending"
          ? { status: "pending", won: false }
          : own.cancel(runId, given),
    }),
    caughtBy: "a cancellation ends a run that is in flight",
  },
  "checks before a cancellation and writes in another turn": {
    driver: (own, rows) => ({
      ...own,
      cancel: async (runId, { at }): Promise<StatusOutcome | null> => {
        const row = rows.get(runId);
        if (!row) return null;
        if (!isInFlight(row.status)) return { status: row.status, won: false };
        await aTurn();
        writeOver(rows, runId, () => ({ status: "cancelled", updatedAt: at }));
        return { status: "cancelled", won: true };
      },
    }),
    caughtBy: [
      "of a cancellation and a settle at the same time one wins, as a whole",
      "of a cancellation and a settle over two connections one wins, as a whole",
    ],
  },
};
