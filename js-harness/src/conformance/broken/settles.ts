// Faults of drivers whose settle ends a run twice, or writes half of an end.

import type { StatusOutcome, ResultTexts } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { isInFlight, writeOver, type PlainRow } from "../testing/plain-driver.js";

const texts = (result: ResultTexts | null): Partial<PlainRow> => (result ? { texts: result } : {});

export const brokenSettles: BrokenStores = {
  "settles a run that has ended": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, { status, at, result }) => {
        if (!rows.has(runId)) return null;
        writeOver(rows, runId, () => ({ status, updatedAt: at, ...texts(result) }));
        return { status, won: true };
      },
    }),
    caughtBy: [
      "a settle that comes after another end writes neither status nor result",
      "a settle that is entered again changes neither the status nor the result",
    ],
  },
  "settles a run that was cancelled": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, given) => {
        writeOver(rows, runId, ({ status }) => ({
          status: status === "cancelled" ? "running" : status,
        }));
        return own.settle(runId, given);
      },
    }),
    caughtBy: "a settle that comes after a cancellation writes neither status nor result",
  },
  "writes the result of a settle that lost": {
    driver: (own) => ({
      ...own,
      settle: (runId, given) => {
        if (given.result) own.record(runId, given.result);
        return own.settle(runId, given);
      },
    }),
    caughtBy: "a settle that comes after another end writes neither status nor result",
  },
  "writes the time of a settle that lost": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, given) => {
        writeOver(rows, runId, () => ({ updatedAt: given.at }));
        return own.settle(runId, given);
      },
    }),
    caughtBy: "a settle delivered twice changes nothing, not even the time",
  },
  "settles the status and drops the result": {
    driver: (own) => ({
      ...own,
      settle: (runId, given) => own.settle(runId, { ...given, result: null }),
    }),
    caughtBy: [
      "a settle of a run in flight writes the status and the result",
      "a marked run that finishes has its status and its result",
    ],
  },
  "settles a run without a result as one of empty values": {
    driver: (own) => ({
      ...own,
      settle: (runId, given) => own.settle(runId, { ...given, result: given.result ?? NO_VALUES }),
    }),
    caughtBy: [
      "a settle without a result writes the status alone",
      "a run that was stopped has no result",
    ],
  },
  "settles the result and drops the status": {
    driver: (own) => ({
      ...own,
      settle: (runId, { status, result }) => {
        if (result) own.record(runId, result);
        return { status, won: true };
      },
    }),
    caughtBy: "a settle of a run in flight writes the status and the result",
  },
  "settles only a run that is executing": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, given) =>
        rows.get(runId)?.status === "pending"
          ? { status: "pending", won: false }
          : own.settle(runId, given),
    }),
    caughtBy: "a settle of a run in flight writes the status and the result",
  },
  "replaces a first result when it settles": {
    driver: (own, rows) => ({
      ...own,
      settle: async (runId, given) => {
        const ended = await own.settle(runId, given);
        if (ended?.won) writeOver(rows, runId, () => texts(given.result));
        return ended;
      },
    }),
    caughtBy: [
      "a settle keeps a first result, and adds nothing to it",
      "an attempt that is run again after a crash keeps one result as a whole",
    ],
  },
  "drops a first result when it settles without one": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, given) => {
        if (!given.result) delete rows.get(runId)?.texts;
        return own.settle(runId, given);
      },
    }),
    caughtBy: "a settle keeps a first result, and adds nothing to it",
  },
  "fills a first result's empty members when it settles": {
    driver: (own, rows) => ({
      ...own,
      settle: (runId, given) => {
        const first = rows.get(runId)?.texts;
        if (first && given.result) {
          const { interrupts, reply, checkpoint } = given.result;
          writeOver(rows, runId, () => ({
            texts: {
              values: first.values,
              interrupts: first.interrupts ?? interrupts,
              reply: first.reply ?? reply,
              checkpoint: first.checkpoint ?? checkpoint,
            },
          }));
        }
        return own.settle(runId, given);
      },
    }),
    caughtBy: "a settle keeps a first result, and adds nothing to it",
  },
  "drops the error of a settle": {
    driver: (own) => ({
      ...own,
      settle: (runId, given) => own.settle(runId, { ...given, error: undefined }),
    }),
    caughtBy: "the error of a settle stands in the run's row, and a success has none",
  },
  "fails to settle over the error's own text": {
    driver: (own) => ({
      ...own,
      settle: (runId, given) => {
        const error = JSON.stringify(given.error ?? null);
        if (error.includes("\\u0000")) throw new Error("unsupported Unicode escape sequence");
        return own.settle(runId, given);
      },
    }),
    caughtBy: "the error of a settle stands in the run's row, and a success has none",
  },
  "says that every settle won": {
    driver: (own) => ({
      ...own,
      settle: async (runId, given): Promise<StatusOutcome | null> => {
        const ended = await own.settle(runId, given);
        return ended && { ...ended, won: true };
      },
    }),
    caughtBy: "a settle that comes after another end writes neither status nor result",
  },
  "answers a settle with the status that was asked for": {
    driver: (own) => ({
      ...own,
      settle: async (runId, given): Promise<StatusOutcome | null> => {
        const ended = await own.settle(runId, given);
        return ended && { ...ended, status: given.status };
      },
    }),
    caughtBy: "a settle that comes after another end writes neither status nor result",
  },
  "checks before a settle and writes in another turn": {
    driver: (own, rows) => ({
      ...own,
      settle: async (runId, { status, at, result }): Promise<StatusOutcome | null> => {
        const row = rows.get(runId);
        if (!row) return null;
        if (!isInFlight(row.status)) return { status: row.status, won: false };
        await aTurn();
        writeOver(rows, runId, (now) => ({
          status,
          updatedAt: at,
          ...(now.texts ? {} : texts(result)),
        }));
        return { status, won: true };
      },
    }),
    caughtBy: [
      "of many settles at the same time one wins, with its status and its result",
      "of many settles over two connections one wins, with its status and its result",
    ],
  },
  "records first and settles in another turn": {
    driver: (own) => ({
      ...own,
      settle: async (runId, given): Promise<StatusOutcome | null> => {
        if (given.result) await own.record(runId, given.result);
        await aTurn();
        return own.settle(runId, { ...given, result: null });
      },
    }),
    caughtBy: "of a cancellation and a settle at the same time one wins, as a whole",
  },
  "settles a deleted run back to life": {
    driver: (own, rows) => {
      const seen = new Map<string, PlainRow>();
      return {
        ...own,
        read: (runId) => {
          const row = rows.get(runId);
          if (row) seen.set(runId, row);
          return row?.texts;
        },
        settle: (runId, given) => {
          const row = rows.get(runId) ?? seen.get(runId) ?? { ...NO_ROW, status: "running" };
          rows.set(runId, row);
          return own.settle(runId, given);
        },
      };
    },
    caughtBy: "a deleted run cannot be settled, and nothing comes back by it",
  },
  "says that it settles and does nothing": {
    driver: (own) => ({ ...own, settle: (_runId, { status }) => ({ status, won: true }) }),
    caughtBy: "a settle of a run in flight writes the status and the result",
  },
  "writes half of a settle whose result cannot be carried": {
    runs: (own) => ({
      ...own,
      settleRun: async (runId, { result, ...rest }) => {
        const ended = await own.settleRun?.(runId, rest);
        if (result) await own.recordResult(runId, result);
        return ended ?? null;
      },
    }),
    caughtBy: [
      "a settle whose result cannot be carried writes nothing, and the run can still end",
      "a capture that fails leaves the run in flight, and it ends in error",
    ],
  },
};

const NO_VALUES: ResultTexts = { values: "{}", interrupts: null, reply: null, checkpoint: null };

const NO_ROW: PlainRow = {
  threadId: "",
  status: "running",
  updatedAt: "",
  kwargs: {},
  metadata: {},
};
