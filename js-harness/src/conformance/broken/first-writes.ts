// Faults of drivers that do not keep the first write, or keep it for the wrong run.

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";

export const brokenFirstWrites: BrokenStores = {
  "keeps nothing": {
    driver: (own) => ({ ...own, record: () => undefined }),
    caughtBy: "a recorded result is read",
  },
  "lets the last write win": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const row = rows.get(runId);
        if (row) rows.set(runId, { ...row, texts });
      },
    }),
    caughtBy: "a later write does not replace the first",
  },
  "fills each member that is empty": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const row = rows.get(runId);
        if (!row) return;
        const { values, interrupts, reply, checkpoint } = row.texts ?? texts;
        rows.set(runId, {
          ...row,
          texts: {
            values,
            interrupts: interrupts ?? texts.interrupts,
            reply: reply ?? texts.reply,
            checkpoint: checkpoint ?? texts.checkpoint,
          },
        });
      },
    }),
    caughtBy: "a later write adds no member to the first",
  },
  "takes values of null for no result": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const row = rows.get(runId);
        if (row && (!row.texts || row.texts.values === "null")) rows.set(runId, { ...row, texts });
      },
    }),
    caughtBy: "a result whose values are null or empty is a first result like any other",
  },
  "refuses a second write as a conflict": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (rows.get(runId)?.texts) throw new Error("duplicate key value");
        return own.record(runId, texts);
      },
    }),
    caughtBy: "the same result delivered again is a quiet no-op",
  },
  "refuses a second write with another text": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const first = rows.get(runId)?.texts;
        if (first && first.values !== texts.values) throw new Error("conflicting result");
        return own.record(runId, texts);
      },
    }),
    caughtBy: "the same result with its keys in another order is a quiet no-op",
  },
  "checks first and writes in another turn": {
    driver: (own, rows) => ({
      ...own,
      record: async (runId, texts) => {
        if (rows.get(runId)?.texts) return;
        await aTurn();
        const row = rows.get(runId);
        if (row) rows.set(runId, { ...row, texts });
      },
    }),
    caughtBy: [
      "of many writers at the same time one wins, and each reads what won",
      "of many writers over two connections one wins, and each reads what won",
    ],
  },
  "acknowledges a write before it is there": {
    driver: (own) => ({
      ...own,
      record: (runId, texts) => {
        void aTurn().then(() => own.record(runId, texts));
      },
    }),
    caughtBy: "a recorded result is read",
  },
  "records only what has not ended": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        if (rows.get(runId)?.status !== "success") own.record(runId, texts);
      },
    }),
    caughtBy: "a result is recorded whatever the status of its run",
  },
  "touches the run's time when it records": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const row = rows.get(runId);
        if (row) rows.set(runId, { ...row, updatedAt: new Date().toISOString() });
        own.record(runId, texts);
      },
    }),
    caughtBy: "recording a result changes nothing in the run's row",
  },
  "reads the whole row and writes it back in another turn": {
    driver: (own, rows) => ({
      ...own,
      record: async (runId, texts) => {
        const row = rows.get(runId);
        await aTurn();
        if (row && !row.texts) rows.set(runId, { ...row, texts });
      },
    }),
    caughtBy: "a settle that races with a record leaves the status and one result as a whole",
  },
  "keeps one result for each thread": {
    driver: (own, rows) => ({
      ...own,
      record: (runId, texts) => {
        const threadId = rows.get(runId)?.threadId;
        for (const [id, row] of rows) if (row.threadId === threadId) own.record(id, texts);
      },
    }),
    caughtBy: "the results of several runs are kept apart",
  },
};
