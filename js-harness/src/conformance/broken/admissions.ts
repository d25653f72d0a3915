// Faults of drivers that admit an answer to a paused run twice, too late, or halfway.

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";
import { isInFlight, type PlainRow, type PlainRows } from "../testing/plain-driver.js";

/** The runs of a run's thread that came after it. */
function later(rows: PlainRows, runId: string): PlainRow[] {
  const all = [...rows];
  const threadId = rows.get(runId)?.threadId;
  const place = all.findIndex(([id]) => id === runId);
  return all.slice(place + 1).flatMap(([, row]) => (row.threadId === threadId ? [row] : []));
}

const isPaused = (rows: PlainRows, runId: string): boolean =>
  rows.get(runId)?.status === "interrupted";

export const brokenAdmissions: BrokenStores = {
  "admits no answer": {
    driver: (own) => ({ ...own, admitResume: () => false }),
    caughtBy: "a paused run that is the last of its thread admits the run that resumes it",
  },
  "admits an answer and creates nothing": {
    driver: (own, rows) => ({ ...own, admitResume: (runId) => isPaused(rows, runId) }),
    caughtBy: "a paused run that is the last of its thread admits the run that resumes it",
  },
  "ends the run that is resumed": {
    driver: (own, rows) => ({
      ...own,
      admitResume: async (runId, create) => {
        const isAdmitted = await own.admitResume(runId, create);
        const row = rows.get(runId);
        if (isAdmitted && row) rows.set(runId, { ...row, status: "success" });
        return isAdmitted;
      },
    }),
    caughtBy: "a paused run that is the last of its thread admits the run that resumes it",
  },
  "looks at the runs of every thread": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) =>
        ![...rows.values()].some(({ status }) => isInFlight(status)) &&
        own.admitResume(runId, create),
    }),
    caughtBy: "a paused run that is the last of its thread admits the run that resumes it",
  },
  "checks the thread and admits in another turn": {
    driver: (own, rows) => ({
      ...own,
      admitResume: async (runId, create) => {
        if (!isPaused(rows, runId) || later(rows, runId).length > 0) return false;
        await aTurn();
        create(rows);
        return true;
      },
    }),
    caughtBy: [
      "of many answers to a paused run at the same time one is admitted",
      "of many answers to a paused run over two connections one is admitted",
    ],
  },
  "looks only for runs in flight": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) => {
        const threadId = rows.get(runId)?.threadId;
        const onThread = [...rows.values()].filter((row) => row.threadId === threadId);
        if (!isPaused(rows, runId) || onThread.some(({ status }) => isInFlight(status)))
          return false;
        create(rows);
        return true;
      },
    }),
    caughtBy: "an answer is refused once any other run has come after the paused one",
  },
  "looks only for later runs": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) => {
        if (!isPaused(rows, runId) || later(rows, runId).length > 0) return false;
        create(rows);
        return true;
      },
    }),
    caughtBy: "an answer is refused while a run of the thread is in flight",
  },
  "admits an answer to any run": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) => {
        if (isPaused(rows, runId)) return own.admitResume(runId, create);
        create(rows);
        return true;
      },
    }),
    caughtBy: "an answer is refused to a run that is not interrupted, and to one that is not there",
  },
  "creates first and looks then": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) => {
        const inside = new Map(rows);
        create(inside);
        return own.admitResume(runId, () => {
          for (const [id, row] of inside) rows.set(id, row);
        });
      },
    }),
    caughtBy: "a run that is not admitted is not created",
  },
  "throws an error of its own where `create` throws": {
    runs: (own) => ({
      ...own,
      admitResume: async (runId, create) => {
        try {
          return await own.admitResume(runId, create);
        } catch (cause) {
          throw new Error("The transaction was rolled back.", { cause });
        }
      },
    }),
    caughtBy: "what `create` throws is thrown on, and the next answer is admitted",
  },
  "says that it refuses where `create` throws": {
    driver: (own) => ({
      ...own,
      admitResume: async (runId, create) => {
        try {
          return await own.admitResume(runId, create);
        } catch {
          return false;
        }
      },
    }),
    caughtBy: "what `create` throws is thrown on, and the next answer is admitted",
  },
  "marks a run before `create` throws": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) =>
        own.admitResume(runId, (transaction) => {
          const row = rows.get(runId);
          if (row) rows.set(runId, { ...row, status: "success" });
          const created = create(transaction);
          if (row) rows.set(runId, row);
          return created;
        }),
    }),
    caughtBy: "what `create` throws is thrown on, and the next answer is admitted",
  },
  "keeps what was inserted before `create` threw": {
    driver: (own, rows) => ({
      ...own,
      admitResume: (runId, create) => own.admitResume(runId, () => create(rows)),
    }),
    caughtBy: "a run that was inserted before `create` threw is not there",
  },
};
