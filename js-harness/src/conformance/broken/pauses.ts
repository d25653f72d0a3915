// Faults of drivers that cancel what is not paused, or pass over more than they should, or less.

import type { StatusOutcome } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { writeOver, type PlainRow, type PlainRows } from "../testing/plain-driver.js";
import type { PlainStoreOptions } from "../testing/plain-store.js";
import { plainTasks, TASK_RULES, type TaskRules } from "../testing/plain-tasks.js";

type Driver = NonNullable<PlainStoreOptions["driver"]>;

const { isMark, isPause } = TASK_RULES;

/** A driver whose cancellation of a pause follows these rules. */
const cancelling = (changed: Partial<TaskRules>): Driver => {
  return (own, rows) => ({ ...own, cancelPaused: plainTasks(rows, changed).cancelPaused });
};

/** A driver that passes over what is such, of all that is before a run on its thread. */
const passing = (isSuch: (row: PlainRow) => boolean): Driver => {
  return (own, rows) => ({
    ...own,
    passOver: (runId, { at }) => {
      const ids = [...rows.keys()];
      const { threadId } = rows.get(runId) ?? {};
      for (const id of ids.slice(0, Math.max(ids.indexOf(runId), 0))) {
        const row = rows.get(id);
        if (row && row.threadId === threadId && isSuch(row)) cancelAt(rows, id, at);
      }
    },
  });
};

function cancelAt(rows: PlainRows, runId: string, at: string): StatusOutcome {
  writeOver(rows, runId, () => ({ status: "cancelled", updatedAt: at }));
  return { status: "cancelled", won: true };
}

const isPaused = (row: PlainRow): boolean => row.status === "interrupted" && isPause(row);

const markOf = ({ kwargs }: PlainRow) =>
  (kwargs as { $skein_task?: Parameters<TaskRules["isMark"]>[0] }).$skein_task;

export const brokenPauses: BrokenStores = {
  // cancelPaused ---------------------------------------------------------------------------------
  "cancels no pause": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId) => {
        const row = rows.get(runId);
        return row ? { status: row.status, won: false } : null;
      },
    }),
    caughtBy: "a paused task is cancelled, with the time and with its result as it was",
  },
  "says that it cancels a pause and does nothing": {
    driver: (own) => ({ ...own, cancelPaused: () => ({ status: "cancelled", won: true }) }),
    caughtBy: [
      "a paused task is cancelled, with the time and with its result as it was",
      "the cancellation of a run that is not there is answered with null",
    ],
  },
  "erases the result of a pause that it cancels": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: async (runId, given) => {
        const ended = await own.cancelPaused(runId, given);
        if (ended?.won) delete rows.get(runId)?.texts;
        return ended;
      },
    }),
    caughtBy: "a paused task is cancelled, with the time and with its result as it was",
  },
  "leaves the time of a pause that it cancels": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        const { updatedAt = "" } = rows.get(runId) ?? {};
        return own.cancelPaused(runId, { ...given, at: updatedAt });
      },
    }),
    caughtBy: "the time of a task is that of its cancellation",
  },
  "cancels a pause that has been answered": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        const row = rows.get(runId);
        const isOne = row && isPaused(row) && markOf(row)?.root === runId;
        return isOne ? cancelAt(rows, runId, given.at) : own.cancelPaused(runId, given);
      },
    }),
    caughtBy: [
      "the last run of a lineage is cancelled, and none before it",
      "a run that has been answered is not cancelled, even before its continuation starts",
    ],
  },
  "cancels as a pause whatever is in flight": {
    driver: (own) => ({
      ...own,
      cancelPaused: async (runId, given) => {
        const ended = await own.cancelPaused(runId, given);
        return ended && (ended.won ? ended : own.cancel(runId, given));
      },
    }),
    caughtBy: "a run that is not interrupted is not cancelled as a pause",
  },
  "cancels any run that holds a pause": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        const row = rows.get(runId);
        return row && isPause(row)
          ? cancelAt(rows, runId, given.at)
          : own.cancelPaused(runId, given);
      },
    }),
    caughtBy: "a run that is not interrupted is not cancelled as a pause",
  },
  "cancels a pause without a mark": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        const row = rows.get(runId);
        return row && isPaused(row) && !markOf(row)
          ? cancelAt(rows, runId, given.at)
          : own.cancelPaused(runId, given);
      },
    }),
    caughtBy: "a run that is of no task is not cancelled as a pause",
  },
  "cancels a pause with any mark": {
    driver: cancelling({ isMark: (mark) => isMark({ ...mark, v: 1 }) }),
    caughtBy: "a run that is of no task is not cancelled as a pause",
  },
  "cancels a pause without looking for the first run": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        const row = rows.get(runId);
        const mark = row && isPaused(row) ? markOf(row) : undefined;
        return mark && !rows.has(mark.root)
          ? cancelAt(rows, runId, given.at)
          : own.cancelPaused(runId, given);
      },
    }),
    caughtBy: "a run that is of no task is not cancelled as a pause",
  },
  "cancels a pause on another thread than its first run": {
    driver: cancelling({ isOfLineage: ({ mark }, first) => mark.root === first.id }),
    caughtBy: "a run that is of no task is not cancelled as a pause",
  },
  "writes the time of a cancellation of no pause": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: (runId, given) => {
        writeOver(rows, runId, () => ({ updatedAt: given.at }));
        return own.cancelPaused(runId, given);
      },
    }),
    caughtBy: "a run that was displaced is not cancelled as a pause",
  },
  "says cancelled of every run that it leaves alone": {
    driver: (own) => ({
      ...own,
      cancelPaused: async (runId, given): Promise<StatusOutcome | null> => {
        const ended = await own.cancelPaused(runId, given);
        return ended && { ...ended, status: "cancelled" };
      },
    }),
    caughtBy: "a run that was displaced is not cancelled as a pause",
  },
  "checks a pause and cancels it in another turn": {
    driver: (own, rows) => ({
      ...own,
      cancelPaused: async (runId, given) => {
        const row = rows.get(runId);
        if (!row || !isPaused(row)) return own.cancelPaused(runId, given);
        await aTurn();
        return cancelAt(rows, runId, given.at);
      },
    }),
    caughtBy: [
      "of many cancellations of a pause at the same time one wins",
      "of many cancellations of a pause over two connections one wins",
    ],
  },

  // passOver -------------------------------------------------------------------------------------
  "passes over nothing": {
    driver: (own) => ({ ...own, passOver: () => undefined }),
    caughtBy: [
      "a run that starts cancels every paused task before it on its thread, with the time",
      "an ordinary run passes over the paused tasks before it, too",
    ],
  },
  "passes over the latest paused task alone": {
    driver: (own, rows) => ({
      ...own,
      passOver: async (runId, given) => {
        const { threadId } = rows.get(runId) ?? {};
        const paused = [...rows].filter(([, row]) => row.threadId === threadId && isPaused(row));
        const last = paused.at(-1)?.[0];
        if (last !== undefined) await own.cancelPaused(last, given);
      },
    }),
    caughtBy: "a run that starts cancels every paused task before it on its thread, with the time",
  },
  "leaves the time of a task that it passes over": {
    driver: (own) => ({
      ...own,
      passOver: (runId) => own.passOver(runId, { at: new Date(0).toISOString() }),
    }),
    caughtBy: "a run that starts cancels every paused task before it on its thread, with the time",
  },
  "has only runs with a mark pass over": {
    driver: (own, rows) => ({
      ...own,
      passOver: (runId, given) => {
        const started = rows.get(runId);
        return started && markOf(started) ? own.passOver(runId, given) : undefined;
      },
    }),
    caughtBy: "an ordinary run passes over the paused tasks before it, too",
  },
  "passes over the lineage that it continues": {
    driver: passing((row) => isPaused(row) && markOf(row) !== undefined),
    caughtBy: "a run that continues a task does not pass over it",
  },
  "passes over all that is on the thread": {
    driver: (own, rows) => ({
      ...own,
      passOver: async (runId, given) => {
        const { threadId } = rows.get(runId) ?? {};
        for (const [id, row] of [...rows]) {
          if (row.threadId === threadId) await own.cancelPaused(id, given);
        }
      },
    }),
    caughtBy: "a run that starts leaves alone what comes after it, and what is on another thread",
  },
  "passes over all that is before it": {
    driver: (own, rows) => ({
      ...own,
      passOver: async (runId, given) => {
        if (!rows.has(runId)) return;
        for (const id of [...rows.keys()]) if (id !== runId) await own.cancelPaused(id, given);
      },
    }),
    caughtBy: "a run that starts leaves alone what comes after it, and what is on another thread",
  },
  "passes over what was displaced": {
    driver: passing((row) => row.status === "interrupted" && markOf(row) !== undefined),
    caughtBy: "a run that starts leaves alone what is not paused",
  },
  "passes over what waits": {
    driver: passing((row) => row.status === "pending" || isPaused(row)),
    caughtBy: "a run that starts leaves alone what is not paused",
  },
  "passes over a pause without a mark": {
    driver: passing((row) => isPaused(row) && !markOf(row)),
    caughtBy: "a run that starts leaves alone a pause that is of no task",
  },
  "passes over a pause whose first run is gone": {
    driver: (own, rows) =>
      passing((row) => isPaused(row) && !rows.has(markOf(row)?.root ?? ""))(own, rows),
    caughtBy: "a run that starts leaves alone a pause that is of no task",
  },
  "passes over a task again": {
    driver: passing((row) => isPause(row) && ["interrupted", "cancelled"].includes(row.status)),
    caughtBy: "a task that was passed over keeps its time when another run starts",
  },
  "passes over for a run that is not there": {
    driver: (own, rows) => ({
      ...own,
      passOver: (runId, given) => {
        if (rows.has(runId)) return own.passOver(runId, given);
        for (const [id, row] of [...rows]) if (isPaused(row)) cancelAt(rows, id, given.at);
      },
    }),
    caughtBy: "a run that is not there passes over nothing",
  },
};
