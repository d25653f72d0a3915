import type { Database } from "better-sqlite3";

import type { StoredRun } from "../run-copies.js";
import { RUN_FIELDS } from "../sql-rows.js";

import { namedParameters, RUN_COLUMNS } from "./columns.js";

/** Inserts a run as it is, whatever its status; one whose id exists is left alone. */
export function sqliteRunInsert(database: Database): (stored: StoredRun) => void {
  const insert = database.prepare<[object]>(
    `INSERT INTO runs (${RUN_COLUMNS}, kwargs) VALUES (${namedParameters(RUN_FIELDS)}, @kwargs)
     ON CONFLICT (run_id) DO NOTHING`,
  );
  return ({ run, kwargs }) => {
    insert.run({
      ...run,
      metadata: JSON.stringify(run.metadata),
      multitask_strategy: run.multitask_strategy ?? null,
      error: run.error === undefined ? null : JSON.stringify(run.error),
      kwargs: kwargs && JSON.stringify(kwargs),
    });
  };
}
