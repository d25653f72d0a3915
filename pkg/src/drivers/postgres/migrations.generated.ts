// Generated from pkg/migrations/postgres/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "../sql/run-table.js";

/** Oldest first. */
export const postgresMigrations: readonly SqlMigration[] = [
  {
    name: "0001_run_results",
    up: `--
-- The result of a run, beside the run: four nullable JSON texts. Without \`result_values\` there is no
-- result. \`text\`, not \`jsonb\`: jsonb refuses NUL and lone surrogates, reorders keys and caps strings.
-- Additive: an older build goes on reading and writing its own columns.

ALTER TABLE runs ADD COLUMN result_values text;
ALTER TABLE runs ADD COLUMN result_interrupts text;
ALTER TABLE runs ADD COLUMN result_reply text;
ALTER TABLE runs ADD COLUMN result_checkpoint text;
`,
    down: `ALTER TABLE runs DROP COLUMN result_checkpoint;
ALTER TABLE runs DROP COLUMN result_reply;
ALTER TABLE runs DROP COLUMN result_interrupts;
ALTER TABLE runs DROP COLUMN result_values;
`,
  },
];
