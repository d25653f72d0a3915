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

/** Three of its runs, and their rows as it reads them. */
export const OLD_RUNS = `INSERT INTO runs (run_id, status, updated_at, error) VALUES
  ('r1', 'success', '2026-01-01T00:00:00.000Z', NULL),
  ('r2', 'error', '2026-01-02T00:00:00.000Z', 'it broke'),
  ('r3', 'success', NULL, NULL);`;

export const OLD_ROWS = [
  { run_id: "r1", status: "success", updated_at: "2026-01-01T00:00:00.000Z", error: null },
  { run_id: "r2", status: "error", updated_at: "2026-01-02T00:00:00.000Z", error: "it broke" },
  { run_id: "r3", status: "success", updated_at: null, error: null },
];
