// A host from before results existed, as small as a host can be; its SQL is that of both databases.

import type { SqlMigration } from "skein-results/sqlite";

export const oldHostMigrations: readonly SqlMigration[] = [
  {
    name: "0001_init",
    up: "CREATE TABLE runs (run_id text PRIMARY KEY, status text NOT NULL); CREATE INDEX runs_status ON runs (status);",
    down: "DROP TABLE runs;",
  },
  {
    name: "0002_ends",
    up: "ALTER TABLE runs ADD COLUMN updated_at text; ALTER TABLE runs ADD COLUMN error text;",
    down: "ALTER TABLE runs DROP COLUMN error; ALTER TABLE runs DROP COLUMN updated_at;",
  },
];

/** Three of its runs. */
export const OLD_RUNS =
  "INSERT INTO runs (run_id, status) VALUES ('r1', 'success'), ('r2', 'error'), ('r3', 'success');";
