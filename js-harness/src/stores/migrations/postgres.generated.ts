// Generated from js-harness/src/stores/migrations/postgres/*.sql by the Nx target generate-migrations. Change the SQL instead.

import type { SqlMigration } from "skein-results/postgres";

/** Oldest first. */
export const postgresHostMigrations: readonly SqlMigration[] = [
  {
    name: "0001_init",
    up: `--
-- The host's own tables, as they were before runs had results. Metadata is searched, hence \`jsonb\`;
-- what is only kept is \`json\`, which carries every text that JSON allows, NUL and lone surrogates
-- included, and gives it back as it came.

CREATE TABLE assistants (
  assistant_id text        PRIMARY KEY,
  graph_id     text        NOT NULL,
  name         text        NOT NULL,
  description  text,
  config       json        NOT NULL,
  context      json        NOT NULL,
  metadata     jsonb       NOT NULL,
  version      integer     NOT NULL,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL
);

CREATE TABLE threads (
  thread_id        text        PRIMARY KEY,
  status           text        NOT NULL,
  metadata         jsonb       NOT NULL,
  "values"         json        NOT NULL,
  interrupts       json        NOT NULL,
  error            json,
  created_at       timestamptz NOT NULL,
  updated_at       timestamptz NOT NULL,
  state_updated_at timestamptz NOT NULL
);

CREATE INDEX threads_created_at_idx ON threads (created_at, thread_id COLLATE "C");
CREATE INDEX threads_metadata_idx ON threads USING gin (metadata jsonb_path_ops);

-- \`seq\` is the order of creation. \`created_at\` is not: several runs fit into one millisecond.
CREATE TABLE runs (
  run_id             text        PRIMARY KEY,
  seq                bigint      GENERATED ALWAYS AS IDENTITY,
  thread_id          text        NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
  assistant_id       text        NOT NULL,
  status             text        NOT NULL,
  metadata           jsonb       NOT NULL,
  multitask_strategy text,
  kwargs             json,
  -- The kwargs' \`base_checkpoint_id\`. It is written when the run starts, and in a column of its own
  -- that does not write the run's whole input again.
  base_checkpoint    json,
  error              json,
  created_at         timestamptz NOT NULL,
  updated_at         timestamptz NOT NULL
);

CREATE INDEX runs_thread_idx ON runs (thread_id, seq);
CREATE INDEX runs_inflight_idx ON runs (thread_id, seq) WHERE status IN ('pending', 'running');

-- No foreign key on either id: a delivery outlives its run.
CREATE TABLE deliveries (
  delivery_id       text        PRIMARY KEY,
  run_id            text        NOT NULL,
  thread_id         text        NOT NULL,
  url               text        NOT NULL,
  payload           json,
  payload_truncated boolean     NOT NULL,
  run_status        text        NOT NULL,
  status            text        NOT NULL,
  attempt           integer     NOT NULL,
  next_attempt_at   timestamptz NOT NULL,
  last_error        text,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  expires_at        timestamptz NOT NULL
);

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

ALTER TABLE threads ADD COLUMN expires_at timestamptz;

CREATE INDEX threads_expiry_idx ON threads (expires_at) WHERE expires_at IS NOT NULL;
`,
    down: `DROP INDEX threads_expiry_idx;
ALTER TABLE threads DROP COLUMN expires_at;
`,
  },
];
