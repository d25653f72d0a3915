import type { Run, RunCreate } from "../contract.js";
import type { StoredRun } from "../run-copies.js";

import type { Queryable } from "./connection.js";
import { insertRows } from "./insert.js";

/** The columns of a run, and their types. */
export const RUN_TYPES = {
  run_id: "text",
  thread_id: "text",
  assistant_id: "text",
  status: "text",
  metadata: "jsonb",
  multitask_strategy: "text",
  error: "json",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  kwargs: "json",
};

/** A new run as its row is inserted. */
export function runColumns(run: Run, { kwargs }: RunCreate): object {
  return {
    ...run,
    metadata: JSON.stringify(run.metadata),
    kwargs: kwargs === undefined ? null : JSON.stringify(kwargs),
  };
}

/** Inserts runs as they are, in their order; those whose id exists are left alone. */
export function insertRuns(on: Queryable, runs: readonly StoredRun[]): Promise<void> {
  return insertRows(on, "runs", RUN_TYPES, runs, ({ run, kwargs }) => ({
    ...run,
    metadata: JSON.stringify(run.metadata),
    multitask_strategy: run.multitask_strategy ?? null,
    error: run.error === undefined ? null : JSON.stringify(run.error),
    kwargs: kwargs && JSON.stringify(kwargs),
  }));
}
