// Generated from js-harness/src/stores/migrations/sqlite/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "skein-results/sqlite";

/** Oldest first. */
export const sqliteHostMigrations: readonly SqlMigration[] = [
  {
    name: "0001_init",
    up: `--
-- The host's own tables, as they were before runs had results. Times are ISO 8601 in UTC with
-- milliseconds, so that they sort as text; objects are JSON text.

CREATE TABLE assistants (
  assistant_id TEXT    NOT NULL PRIMARY KEY,
  graph_id     TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  description  TEXT,
  config       TEXT    NOT NULL,
  context      TEXT    NOT NULL,
  metadata     TEXT    NOT NULL,
  version      INTEGER NOT NULL,
  created_at   TEXT    NOT NULL,
  updated_at   TEXT    NOT NULL
) STRICT;

CREATE TABLE threads (
  thread_id        TEXT NOT NULL PRIMARY KEY,
  status           TEXT NOT NULL,
  metadata         TEXT NOT NULL,
  "values"         TEXT NOT NULL,
  interrupts       TEXT NOT NULL,
  error            TEXT,
  created_at       TEXT NOT NULL,
  updated_at       TEXT NOT NULL,
  state_updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX threads_created_at_idx ON threads (created_at, thread_id);

-- \`seq\` is the order of creation. \`created_at\` is not: several runs fit into one millisecond.
CREATE TABLE runs (
  seq                INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id             TEXT NOT NULL UNIQUE,
  thread_id          TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
  assistant_id       TEXT NOT NULL,
  status             TEXT NOT NULL,
  metadata           TEXT NOT NULL,
  multitask_strategy TEXT,
  kwargs             TEXT,
  -- The kwargs' \`base_checkpoint_id\` as JSON text. It is written when the run starts, and in a column
  -- of its own that does not write the run's whole input again.
  base_checkpoint    TEXT,
  error              TEXT,
  created_at         TEXT NOT NULL,
  updated_at         TEXT NOT NULL
) STRICT;

CREATE INDEX runs_thread_idx ON runs (thread_id, seq);
CREATE INDEX runs_inflight_idx ON runs (thread_id, seq) WHERE status IN ('pending', 'running');

-- No foreign key on either id: a delivery outlives its run.
CREATE TABLE deliveries (
  delivery_id       TEXT    NOT NULL PRIMARY KEY,
  run_id            TEXT    NOT NULL,
  thread_id         TEXT    NOT NULL,
  url               TEXT    NOT NULL,
  payload           TEXT,
  payload_truncated INTEGER NOT NULL,
  run_status        TEXT    NOT NULL,
  status            TEXT    NOT NULL,
  attempt           INTEGER NOT NULL,
  next_attempt_at   TEXT    NOT NULL,
  last_error        TEXT,
  created_at        TEXT    NOT NULL,
  updated_at        TEXT    NOT NULL,
  expires_at        TEXT    NOT NULL
) STRICT;

CREATE INDEX deliveries_run_idx ON deliveries (run_id, created_at, delivery_id);
CREATE INDEX deliveries_due_idx ON deliveries (next_attempt_at, delivery_id)
  WHERE status IN ('pending', 'delivering');
`,
    down: `DROP TABLE deliveries;
DROP TABLE runs;
DROP TABLE threads;
DROP TABLE assistants;
`,
  },
  {
    name: "0002_thread_ttl",
    up: `--
-- When a thread may be swept; NULL for never. It is the store's own and on no row that is read.

ALTER TABLE threads ADD COLUMN expires_at TEXT;

CREATE INDEX threads_expiry_idx ON threads (expires_at) WHERE expires_at IS NOT NULL;
`,
    down: `DROP INDEX threads_expiry_idx;
ALTER TABLE threads DROP COLUMN expires_at;
`,
  },
];
