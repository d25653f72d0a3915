// Generated from pkg/migrations/postgres-tasks/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "../sql/run-table.js";

/** Oldest first. */
export const postgresTaskMigrations: readonly SqlMigration[] = [
  {
    name: "0001_task_index",
    up: `--
-- What tasks are found by: the task and the turn that the server's mark in a run's kwargs names, kept by
-- the database itself, and indexes for the order of a list and for the runs of one lineage. Additive: an
-- older build goes on reading and writing its own columns.

ALTER TABLE runs ADD COLUMN task_root text;
ALTER TABLE runs ADD COLUMN task_turn integer;

-- \`kwargs\` may be json or jsonb. A json text may hold escapes that the server refuses to look into (NUL,
-- half of a surrogate pair), anywhere in the run's input: they are replaced in what is looked at, and
-- nowhere else.
CREATE FUNCTION skein_task_columns() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  mark json;
BEGIN
  NEW.task_root := NULL;
  NEW.task_turn := NULL;
  IF position('"$skein_task"' IN NEW.kwargs::text) > 0 THEN
    mark := regexp_replace(
      NEW.kwargs::text, '\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\\\u0001', 'g'
    )::json -> '$skein_task';
    -- What this version calls a mark.
    IF json_typeof(mark) = 'object'
      AND json_typeof(mark -> 'v') = 'number' AND mark ->> 'v' = '1'
      AND json_typeof(mark -> 'root') = 'string' AND mark ->> 'root' <> ''
      AND json_typeof(mark -> 'turn') = 'number' AND mark ->> 'turn' ~ '^[0-9]{1,9}$'
      AND coalesce(json_typeof(mark -> 'message'), 'null') IN ('null', 'string')
      AND coalesce(json_typeof(mark -> 'context'), 'null') IN ('null', 'string')
    THEN
      NEW.task_root := mark ->> 'root';
      NEW.task_turn := (mark ->> 'turn')::integer;
    END IF;
  END IF;
  RETURN NEW;
END
$function$;
CREATE TRIGGER runs_task_columns BEFORE INSERT OR UPDATE OF kwargs ON runs
  FOR EACH ROW EXECUTE FUNCTION skein_task_columns();

-- The runs that were marked before this migration.
UPDATE runs SET kwargs = kwargs WHERE position('"$skein_task"' IN kwargs::text) > 0;

-- By the bytes of the id: a collation of the database's own would order runs of one instant by itself.
CREATE INDEX runs_task_order ON runs (updated_at, run_id COLLATE "C") WHERE task_root IS NOT NULL;
CREATE INDEX runs_task_lineage ON runs (task_root, thread_id, task_turn) WHERE task_root IS NOT NULL;
`,
    down: `DROP INDEX runs_task_lineage;
DROP INDEX runs_task_order;
DROP TRIGGER runs_task_columns ON runs;
DROP FUNCTION skein_task_columns();
ALTER TABLE runs DROP COLUMN task_turn;
ALTER TABLE runs DROP COLUMN task_root;
`,
  },
];
