// A host around the plain driver: threads, runs, a transaction that works on rows of its own until it is
// committed, and a disk that only what is written to it outlives.

import {
  resultMethods,
  type ResultDriver,
  type ResultMethods,
  type TaskMethods,
  type RunStatus,
} from "skein-results";
import type { NewRun, OneByOne, StoreUnderTest } from "skein-results/conformance";

import {
  plainDriver,
  rowsOf,
  type PlainDriver,
  type PlainRow,
  type PlainRows,
} from "./plain-driver.js";

/** A host's own deeds, to be replaced one by one. */
export interface PlainHost {
  createRun: (rows: PlainRows, run: NewRun) => void;
  deleteRun: (rows: PlainRows, runId: string) => void;
  /** Deletes the thread's runs. */
  deleteThread: (rows: PlainRows, threadId: string) => void;
  /** The row as a client gets it. */
  shown: (runId: string, row: PlainRow) => { status: RunStatus };
  /** What of a row is on the disk. */
  kept: (row: PlainRow) => PlainRow;
}

/** How a plain store is put together. */
export interface PlainStoreOptions {
  driver?: (driver: PlainDriver, rows: PlainRows) => ResultDriver;
  runs?: (runs: ResultMethods & TaskMethods, rows: PlainRows) => StoreUnderTest["runs"];
  host?: (host: PlainHost) => Partial<PlainHost>;
  oneByOne?: readonly OneByOne[];
}

/** Opens an empty plain store. */
export function openPlainStore(options: PlainStoreOptions = {}): StoreUnderTest {
  return storeOver(new Map(), new Set(), options);
}

const HOST: PlainHost = {
  createRun: (rows, { runId, threadId, status, kwargs, metadata = {} }) => {
    if (rows.has(runId)) throw new Error(`Run "${runId}" exists already.`);
    rows.set(runId, { threadId, status, kwargs, metadata, updatedAt: new Date().toISOString() });
  },
  deleteRun: (rows, runId) => {
    rows.delete(runId);
  },
  deleteThread: (rows, threadId) => {
    for (const [runId, row] of [...rows]) if (row.threadId === threadId) rows.delete(runId);
  },
  shown: (runId, { threadId, status, updatedAt, error }) => ({
    run_id: runId,
    thread_id: threadId,
    status,
    updated_at: updatedAt,
    ...(error === undefined ? {} : { error }),
  }),
  kept: (row) => row,
};

function storeOver(
  rows: PlainRows,
  threads: Set<string>,
  options: PlainStoreOptions,
): StoreUnderTest {
  const { oneByOne = [] } = options;
  const { createRun, deleteRun, deleteThread, shown, kept } = { ...HOST, ...options.host?.(HOST) };
  const plain = plainDriver(rows);
  const methods = resultMethods(options.driver?.(plain, rows) ?? plain);

  return {
    runs: options.runs?.(methods as ResultMethods & TaskMethods, rows) ?? methods,
    createThread: (threadId) => threads.add(threadId),
    createRun: (run) => createRun(rows, run),
    createRunIn: (transaction, run) => createRun(rowsOf(transaction) ?? rows, run),
    setStatus: (runId, status) => {
      const row = rows.get(runId);
      if (row) rows.set(runId, { ...row, status, updatedAt: new Date().toISOString() });
    },
    deleteRun: (runId) => deleteRun(rows, runId),
    deleteThread: (threadId) => {
      threads.delete(threadId);
      deleteThread(rows, threadId);
    },
    getRun: (runId) => {
      const row = rows.get(runId);
      return row ? shown(runId, row) : null;
    },
    readingsOf: (runId) =>
      [...rows].filter(([id]) => id === runId).map(([id, row]) => shown(id, row)),
    ...(oneByOne.length > 0 ? { oneByOne } : { transaction: transactionOver(rows, createRun) }),
    connect: () => storeOver(rows, threads, options),
    reopen: () => {
      const disk = JSON.stringify([...rows].map(([runId, row]) => [runId, kept(row)]));
      return storeOver(new Map(JSON.parse(disk) as [string, PlainRow][]), threads, options);
    },
    close: () => undefined,
  };
}

/** What is written meanwhile outside is kept; only what the transaction changed replaces it. */
function transactionOver(
  rows: PlainRows,
  createRun: PlainHost["createRun"],
): NonNullable<StoreUnderTest["transaction"]> {
  return async (work) => {
    const own: PlainRows = new Map(rows);
    await work({ handle: own, createRun: (run) => createRun(own, run) });
    for (const [runId, row] of own) if (rows.get(runId) !== row) rows.set(runId, row);
  };
}
