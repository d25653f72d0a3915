// Generated from pkg/migrations/sqlite-tasks/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "../sql/run-table.js";

/** Oldest first. */
export const sqliteTaskMigrations: readonly SqlMigration[] = [
  {
    name: "0001_task_index",
    up: `--
-- What tasks are found by: the task and the turn that the server's mark in a run's kwargs names, kept by
-- the database itself, and indexes for the order of a list and for the runs of one lineage. Additive: an
-- older build goes on reading and writing its own columns.

-- The first three conditions keep every other run as it is: \`kwargs\` is looked into only where a mark may
-- stand, and where it is JSON of a depth that SQLite reads. The rest is what this version calls a mark.
ALTER TABLE runs ADD COLUMN task_root text GENERATED ALWAYS AS (
  CASE
    WHEN kwargs IS NULL OR instr(kwargs, '"$skein_task"') = 0 OR NOT json_valid(kwargs) THEN NULL
    WHEN json_type(kwargs, '$."$skein_task".v') = 'integer'
      AND json_extract(kwargs, '$."$skein_task".v') = 1
      AND json_type(kwargs, '$."$skein_task".root') = 'text'
      AND json_type(kwargs, '$."$skein_task".turn') = 'integer'
      AND json_extract(kwargs, '$."$skein_task".turn') BETWEEN 0 AND 999999999
      AND coalesce(json_type(kwargs, '$."$skein_task".message'), 'null') IN ('null', 'text')
      AND coalesce(json_type(kwargs, '$."$skein_task".context'), 'null') IN ('null', 'text')
      THEN nullif(json_extract(kwargs, '$."$skein_task".root'), '')
  END
) VIRTUAL;
ALTER TABLE runs ADD COLUMN task_turn integer GENERATED ALWAYS AS (
  CASE WHEN task_root IS NOT NULL THEN json_extract(kwargs, '$."$skein_task".turn') END
) VIRTUAL;
CREATE INDEX runs_task_order ON runs (updated_at, run_id) WHERE task_root IS NOT NULL;
CREATE INDEX runs_task_lineage ON runs (task_root, thread_id, task_turn) WHERE task_root IS NOT NULL;
`,
    down: `DROP INDEX runs_task_lineage;
DROP INDEX runs_task_order;
ALTER TABLE runs DROP COLUMN task_turn;
ALTER TABLE runs DROP COLUMN task_root;
`,
  },
];
