// A driver as somebody else would write it, over rows in a map. It shares nothing with the package's
// own drivers, and each fault of the broken ones is one change to it.

import type {
  StatusOutcome,
  ResultDriver,
  ResultEntry,
  ResultTexts,
  RunStatus,
  SettleWrite,
} from "skein-results";

import { plainTasks } from "./plain-tasks.js";

/** A run with everything that is kept of it. */
export interface PlainRow {
  threadId: string;
  status: RunStatus;
  updatedAt: string;
  kwargs: object;
  metadata: object;
  error?: unknown;
  texts?: ResultTexts;
}

export type PlainRows = Map<string, PlainRow>;

/** All that a driver may offer. */
export type PlainDriver = Required<ResultDriver>;

/** Every primitive, each one synchronous step. A `transaction` is the rows that it works on. */
export function plainDriver(rows: PlainRows): PlainDriver {
  const record = (on: PlainRows, runId: string, texts: ResultTexts): void => {
    const row = on.get(runId);
    if (row && !row.texts) on.set(runId, { ...row, texts });
  };
  const end = (runId: string, { status, at, error, result }: SettleWrite): StatusOutcome | null => {
    const row = rows.get(runId);
    if (!row) return null;
    if (!isInFlight(row.status)) return { status: row.status, won: false };
    const texts = row.texts ?? result ?? undefined;
    rows.set(runId, {
      ...row,
      status,
      updatedAt: at,
      error: plainError(error),
      ...(texts ? { texts } : {}),
    });
    return { status, won: true };
  };

  return {
    ...plainTasks(rows),
    record: (runId, texts) => record(rows, runId, texts),
    read: (runId) => rows.get(runId)?.texts,
    settle: end,
    cancel: (runId, { at }) =>
      end(runId, { status: "cancelled", at, error: undefined, result: null, delivery: undefined }),
    start: (runId, { at }) => {
      const row = rows.get(runId);
      if (!row) return null;
      if (!isInFlight(row.status)) return { status: row.status, won: false };
      const { error: _cleared, ...rest } = row;
      const updatedAt = row.status === "running" ? row.updatedAt : at;
      rows.set(runId, { ...rest, status: "running", updatedAt });
      return { status: "running", won: true };
    },
    readMany: (runIds) =>
      runIds.flatMap((runId): ResultEntry[] => {
        const texts = rows.get(runId)?.texts;
        return texts ? [[runId, texts]] : [];
      }),
    attachMany: (entries, transaction) => {
      for (const [runId, texts] of entries) record(rowsOf(transaction) ?? rows, runId, texts);
    },
    copyMany: (copies, checkpointFor, transaction) => {
      const on = rowsOf(transaction) ?? rows;
      const made = copies.flatMap(({ from, to }): ResultEntry[] => {
        const texts = on.get(from)?.texts;
        return texts ? [[to, movedTexts(texts, checkpointFor)]] : [];
      });
      for (const [runId, texts] of made) record(on, runId, texts);
    },
  };
}

export function isInFlight(status: RunStatus): boolean {
  return status === "pending" || status === "running";
}

/** Writes over a row, whatever it is. */
export function writeOver(
  rows: PlainRows,
  runId: string,
  changed: (row: PlainRow) => Partial<PlainRow>,
): void {
  const row = rows.get(runId);
  if (row) rows.set(runId, { ...row, ...changed(row) });
}

/** The host's open transaction, where there is one. */
export function rowsOf(transaction: unknown): PlainRows | undefined {
  return transaction as PlainRows | undefined;
}

/** The texts of a copy. */
export function movedTexts(
  texts: ResultTexts,
  checkpointFor: (text: string) => string,
): ResultTexts {
  const { checkpoint } = texts;
  return { ...texts, checkpoint: checkpoint === null ? null : checkpointFor(checkpoint) };
}

function plainError(error: unknown): unknown {
  return error === undefined ? undefined : JSON.parse(JSON.stringify(error));
}
