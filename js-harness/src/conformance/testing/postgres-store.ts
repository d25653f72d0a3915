// The package's Postgres driver on a real server, in a host of two tables.

import pg, { type Pool, type PoolClient } from "pg";
import { resultMethods } from "skein-results";
import type { NewRun, RunRow, StoreUnderTest } from "skein-results/conformance";
import { postgresDriver, postgresMigrations, postgresTaskMigrations } from "skein-results/postgres";

import { lookupId } from "../../stores/storable.js";

import {
  hostStatements,
  hostTables,
  migrationsUnder,
  runParameters,
  systemClock,
  USUAL_NAMES,
  type Clock,
  type TableNames,
} from "./run-tables.js";

/** A database that the stores of a test file share. */
export interface SharedDatabase {
  url: string;
  names?: TableNames;
  clock?: Clock;
  /** How the host has pg read what comes back. */
  types?: pg.CustomTypesConfig;
  /** Whether the driver keeps prepared statements. */
  prepare?: boolean;
}

const TYPES = {
  order: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  time: "timestamptz",
  metadata: "jsonb",
};

/** Creates the tables in an empty database. */
export async function createTables({ url, names = USUAL_NAMES }: SharedDatabase): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(hostTables(names, TYPES));
  const migrations = [...postgresMigrations, ...postgresTaskMigrations];
  for (const up of migrationsUnder(names, migrations)) await pool.query(up);
  await pool.end();
}

/** Opens a store over connections of its own. */
export function openPostgresDriver(shared: SharedDatabase): StoreUnderTest {
  const { url, names = USUAL_NAMES, types, clock = systemClock, prepare = false } = shared;
  const pool = new pg.Pool({ connectionString: url, max: 5, ...(types ? { types } : {}) });
  const sql = hostStatements(names, (index) => `$${index}`);
  const now = () => clock().toISOString();
  const createRunOn = (on: Pool | PoolClient) => (created: NewRun) => {
    // As hosts do: an id that the server would refuse, or turn into another, does not get there.
    if (lookupId(created.runId) === null) throw new Error("This is no id of a run.");
    return on.query(sql.createRun, runParameters(created, now()));
  };

  return {
    runs: resultMethods(postgresDriver({ pool, prepare, ...names }), { clock }),
    createThread: (threadId) => pool.query(sql.createThread, [threadId]),
    createRun: async (created) => createRunOn(pool)(created),
    createRunIn: async (client, created) => createRunOn(client as PoolClient)(created),
    setStatus: (runId, status) => pool.query(sql.setStatus, [status, now(), runId]),
    deleteRun: (runId) => pool.query(sql.deleteRun, [runId]),
    deleteThread: (threadId) => pool.query(sql.deleteThread, [threadId]),
    getRun: async (runId) => (await pool.query<RunRow>(sql.getRun, [runId])).rows[0] ?? null,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await work({ handle: client, createRun: createRunOn(client) });
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
    connect: () => openPostgresDriver(shared),
    reopen: async () => {
      await pool.end();
      return openPostgresDriver(shared);
    },
    close: () => pool.end(),
  };
}
