// Faults of drivers whose copies of a thread are not the same, not independent, or not whole.

import type { ResultDriver, ResultEntry, ResultTexts } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStore, BrokenStores } from "../testing/broken-store.js";
import {
  movedTexts,
  rowsOf,
  type PlainDriver,
  type PlainRow,
  type PlainRows,
} from "../testing/plain-driver.js";

/** A driver that makes other texts of a source's. */
const copying = (
  caughtBy: string,
  made: (texts: ResultTexts, checkpointFor: (text: string) => string) => ResultTexts,
): BrokenStore => ({
  driver: (own, rows) => ({
    ...own,
    copyMany: (copies, checkpointFor, transaction) => {
      const on = rowsOf(transaction) ?? rows;
      for (const [to, texts] of entriesOf(on, copies)) put(on, to, made(texts, checkpointFor));
    },
  }),
  caughtBy,
});

export const brokenCopies: BrokenStores = {
  "copies nothing": {
    driver: (own) => ({ ...own, copyMany: () => undefined }),
    caughtBy: "a copy has the result of its source, with the checkpoint on its own thread",
  },
  "keeps the source's thread": copying(
    "a copy has the result of its source, with the checkpoint on its own thread",
    (texts) => texts,
  ),
  "drops the checkpoint": copying(
    "a copy has the result of its source, with the checkpoint on its own thread",
    (texts) => ({ ...texts, checkpoint: null }),
  ),
  "rewrites the thread wherever it is named": copying(
    "nothing but the checkpoint's thread is rewritten, wherever the thread is named",
    (texts, checkpointFor) => {
      const moved = movedTexts(texts, checkpointFor);
      const [source, target] = [threadOf(texts.checkpoint), threadOf(moved.checkpoint)];
      if (!source || !target) return moved;
      return { ...moved, values: texts.values.replaceAll(source, target) };
    },
  ),
  "rewrites every thread_id": copying(
    "nothing but the checkpoint's thread is rewritten, wherever the thread is named",
    (texts, checkpointFor) => {
      const { interrupts, ...moved } = movedTexts(texts, checkpointFor);
      const target = threadOf(moved.checkpoint);
      const rewritten = interrupts?.replace(
        /"thread_id":"[^"]*"/g,
        `"thread_id":"${String(target)}"`,
      );
      return { ...moved, interrupts: rewritten ?? null };
    },
  ),
  "moves a checkpoint from wherever it was": {
    driver: (own, rows) => ({
      ...own,
      copyMany: (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        for (const [to, texts] of entriesOf(on, copies)) {
          const moved = movedTexts(texts, checkpointFor);
          const target = on.get(to)?.threadId;
          put(on, to, { ...moved, checkpoint: onThread(moved.checkpoint, target) });
        }
      },
    }),
    caughtBy: "a checkpoint on another thread stays there",
  },
  "writes the texts of a copy anew": copying(
    "a copied text is the same to the bit",
    (texts, checkpointFor) => {
      const moved = movedTexts(texts, checkpointFor);
      return { ...moved, values: moved.values.replace(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd") };
    },
  ),
  "gives every copy a result": {
    driver: (own, rows) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        await own.copyMany(copies, checkpointFor, transaction);
        const on = rowsOf(transaction) ?? rows;
        for (const { to } of copies) put(on, to, NO_VALUES);
      },
    }),
    caughtBy: "a copy of a thread's runs has the results that they have, and no others",
  },
  "stops at a run without a result": {
    driver: (own, rows) => ({
      ...own,
      copyMany: (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        const first = copies.findIndex(({ from }) => !on.get(from)?.texts);
        const copied = first < 0 ? copies : copies.slice(0, first);
        return own.copyMany(copied, checkpointFor, transaction);
      },
    }),
    caughtBy: "a copy of a thread's runs has the results that they have, and no others",
  },
  "points a copy at its source": {
    driver: (own, rows) => sharing(own, rows, (texts) => texts),
    caughtBy: ["a copy outlives its source, and the source its copy", "a copy of a copy is one"],
  },
  "points a copy at whatever its source has later": {
    driver: (own, rows) => sharing(own, rows, (_texts, now) => now),
    caughtBy: "what becomes of the source later does not reach its copy",
  },
  "moves the result from the source to the copy": {
    driver: (own, rows) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        await own.copyMany(copies, checkpointFor, transaction);
        for (const { from } of copies) delete on.get(from)?.texts;
      },
    }),
    caughtBy: "a copy has the result of its source, with the checkpoint on its own thread",
  },
  "replaces a result that the copy has": {
    driver: (own, rows) => ({
      ...own,
      copyMany: (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        for (const { to } of copies) {
          const row = on.get(to);
          if (row) on.set(to, withoutTexts(row));
        }
        return own.copyMany(copies, checkpointFor, transaction);
      },
    }),
    caughtBy: "a copy that has a result keeps it",
  },
  "refuses a copy that has a result": {
    driver: (own, rows) => ({
      ...own,
      copyMany: (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        if (copies.some(({ to }) => on.get(to)?.texts)) throw new Error("duplicate key value");
        return own.copyMany(copies, checkpointFor, transaction);
      },
    }),
    caughtBy: ["a copy that has a result keeps it", "copying the results again changes nothing"],
  },
  "makes the copy that is not there": {
    driver: (own, rows) => ({
      ...own,
      copyMany: (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        for (const { from, to } of copies) {
          const row = on.get(from);
          if (row && !on.has(to)) on.set(to, row);
        }
        return own.copyMany(copies, checkpointFor, transaction);
      },
    }),
    caughtBy: "a target that is not there is left, and a copy of no runs is a quiet no-op",
  },
  "writes as it goes, and stops at what fails": copying(
    "a copy that fails half way leaves nothing",
    movedTexts,
  ),
  "leaves out a copy that fails": {
    driver: (own) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        for (const copy of copies) {
          try {
            await own.copyMany([copy], checkpointFor, transaction);
          } catch {
            // The others are copied.
          }
        }
      },
    }),
    caughtBy: [
      "a copy that fails half way leaves nothing",
      "a copy that fails in the host's transaction leaves no run",
    ],
  },
  "copies one result after the other": {
    driver: (own) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        for (const copy of copies) {
          await aTurn();
          await own.copyMany([copy], checkpointFor, transaction);
        }
      },
    }),
    caughtBy: "a copy is seen as a whole or not at all",
  },
  "copies outside of the host's transaction": {
    driver: (own) => ({
      ...own,
      copyMany: (copies, checkpointFor) => own.copyMany(copies, checkpointFor),
    }),
    caughtBy: "a copy in the host's transaction reaches the runs created in it",
  },
  "copies inside and outside of the host's transaction": {
    driver: (own) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        await own.copyMany(copies, checkpointFor, transaction);
        await own.copyMany(copies, checkpointFor);
      },
    }),
    caughtBy: "a copy in a transaction that is rolled back leaves nothing",
  },
  "shows a copied run before it is committed": {
    driver: (own, rows) => ({
      ...own,
      copyMany: async (copies, checkpointFor, transaction) => {
        const on = rowsOf(transaction) ?? rows;
        await own.copyMany(copies, checkpointFor, transaction);
        for (const { to } of copies) {
          const row = on.get(to);
          if (row) rows.set(to, row);
        }
      },
    }),
    caughtBy: "a copied run is never seen without its result",
  },
};

const NO_VALUES: ResultTexts = { values: "null", interrupts: null, reply: null, checkpoint: null };

function withoutTexts({ texts, ...row }: PlainRow): PlainRow {
  return row;
}

function put(rows: PlainRows, runId: string, texts: ResultTexts): void {
  const row = rows.get(runId);
  if (row && !row.texts) rows.set(runId, { ...row, texts });
}

/** The texts of the sources, under their targets. */
function entriesOf(
  rows: PlainRows,
  copies: readonly { from: string; to: string }[],
): ResultEntry[] {
  return copies.flatMap(({ from, to }): ResultEntry[] => {
    const texts = rows.get(from)?.texts;
    return texts ? [[to, texts]] : [];
  });
}

/** A copy that reads what its source has, while the source is there. */
function sharing(
  own: PlainDriver,
  rows: PlainRows,
  shared: (
    atCopy: ResultTexts | undefined,
    now: ResultTexts | undefined,
  ) => ResultTexts | undefined,
): ResultDriver {
  const sources = new Map<string, { from: string; texts: ResultTexts | undefined }>();
  return {
    ...own,
    copyMany: (copies, checkpointFor, transaction) => {
      const on = rowsOf(transaction) ?? rows;
      for (const { from, to } of copies) {
        const texts = on.get(from)?.texts;
        sources.set(to, { from, texts: texts && movedTexts(texts, checkpointFor) });
      }
    },
    read: (runId) => {
      const source = sources.get(runId);
      if (!source || !rows.has(runId)) return own.read(runId);
      const row = rows.get(source.from);
      return row && shared(source.texts, row.texts);
    },
  };
}

function threadOf(checkpoint: string | null): string | undefined {
  return checkpoint === null ? undefined : /"thread_id":"([^"]*)"/.exec(checkpoint)?.[1];
}

function onThread(checkpoint: string | null, thread: string | undefined): string | null {
  return checkpoint?.replace(/"thread_id":"[^"]*"/, `"thread_id":"${String(thread)}"`) ?? null;
}
