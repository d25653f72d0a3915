// Generated from migrations/postgres/*.sql by `nx run skein-results:generate-migrations`.
// Change the SQL and generate again.

import type { SqlMigration } from "../run-table.js";

/** The additive migrations that give a table of runs its results, oldest first. */
export const postgresMigrations: readonly SqlMigration[] = [
  {
    "name": "0001_run_results",
    "up": "--\n-- The result of a run, beside the run: four nullable JSON texts. Without `result_values` there is no\n-- result. `text`, not `jsonb`: jsonb refuses NUL and lone surrogates, reorders keys and caps strings.\n-- Additive: an older build goes on reading and writing its own columns.\n\nALTER TABLE runs ADD COLUMN result_values text;\nALTER TABLE runs ADD COLUMN result_interrupts text;\nALTER TABLE runs ADD COLUMN result_reply text;\nALTER TABLE runs ADD COLUMN result_checkpoint text;",
    "down": "ALTER TABLE runs DROP COLUMN result_checkpoint;\nALTER TABLE runs DROP COLUMN result_reply;\nALTER TABLE runs DROP COLUMN result_interrupts;\nALTER TABLE runs DROP COLUMN result_values;"
  }
];
