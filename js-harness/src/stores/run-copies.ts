// The runs of a copied thread: which are copied, and what their copies are. Used by all stores, so that
// a copy is the same thing in each.

import { randomUUID } from "node:crypto";

import { copiedKwargs, isTerminalRunStatus, type ResultCopy } from "skein-results";

import type { Run, RunKwargs } from "./contract.js";
import { now } from "./new-rows.js";

/** A run with its kwargs. */
export interface StoredRun {
  run: Run;
  kwargs: RunKwargs | null;
}

/** The copies of a thread's runs, in the order of the runs. */
export interface RunCopies {
  runs: StoredRun[];
  /** Which run each is the copy of. */
  copies: ResultCopy[];
}

/**
 * Copies of the runs that have ended: a run in flight would be in flight on the copy, where nobody
 * executes it. They are new rows, with new ids and the same end.
 */
export function copiedRuns(sources: readonly StoredRun[], targetThread: string): RunCopies {
  const ended = sources.filter(({ run }) => isTerminalRunStatus(run.status));
  const copies = ended.map(({ run }) => ({ from: run.run_id, to: randomUUID() }));
  const at = now();
  const runs = ended.map(({ run, kwargs }, place) => ({
    run: {
      ...run,
      run_id: copies[place]?.to ?? randomUUID(),
      thread_id: targetThread,
      created_at: at,
      updated_at: at,
    },
    kwargs: kwargs && copiedKwargs(kwargs, { runs: copies }),
  }));
  return { runs, copies };
}
