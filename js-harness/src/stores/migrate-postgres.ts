import { setTimeout as delay } from "node:timers/promises";

import type { Pool } from "pg";

import { DatabaseError } from "./contract.js";
import {
  LEDGER_TABLE,
  migrationFailed,
  pendingMigrations,
  type Migration,
} from "./migrations/ledger.js";
import { takeClient, type Queryable } from "./postgres/connection.js";

/** Any constant does, as long as every build that migrates a database uses the same. */
const MIGRATION_LOCK = "7238110361";
const LOCK_POLL_MS = 50;
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Applies what the database lacks and answers the names, in order. One process migrates at a time; the
 * others wait and then find nothing to do. Each migration is one transaction.
 *
 * The pool must lead to the server itself: the lock belongs to a session, which a pooler in
 * transaction mode does not keep.
 *
 * @throws DatabaseError `migration_order`, `migration_failed` and `migration_locked`
 */
export async function migratePostgres(
  pool: Pool,
  lists: readonly (readonly Migration[])[],
): Promise<string[]> {
  if (pendingMigrations(lists, await appliedNames(pool)).length === 0) return [];
  // The client is destroyed afterwards, which ends its session: no lock and no setting can stay behind
  // on a connection that somebody else would get.
  const { client, giveBack } = await takeClient(pool);
  try {
    // A change of a large table takes as long as it takes.
    await client.query("SET statement_timeout = 0");
    await takeLock(client);
    return await applyPending(client, lists);
  } finally {
    giveBack("destroy");
  }
}

async function applyPending(
  client: Queryable,
  lists: readonly (readonly Migration[])[],
): Promise<string[]> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${LEDGER_TABLE} (
       position   integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       name       text        NOT NULL UNIQUE,
       applied_at timestamptz NOT NULL
     )`,
  );
  // Read under the lock: whoever waited for it sees what the other one did.
  const pending = pendingMigrations(lists, await appliedNames(client));
  for (const migration of pending) await apply(client, migration);
  return pending.map(({ name }) => name);
}

async function apply(client: Queryable, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    // Without parameters, hence by the simple protocol, which takes several statements.
    await client.query(migration.up);
    await client.query(`INSERT INTO ${LEDGER_TABLE} (name, applied_at) VALUES ($1, now())`, [
      migration.name,
    ]);
    await client.query("COMMIT");
  } catch (cause) {
    // Ending the session, as the caller does, rolls back as well.
    throw migrationFailed(migration, cause);
  }
}

// Conditions are asked for as rows: what a boolean is read as is up to the host's type parsers.

async function appliedNames(on: Queryable): Promise<string[]> {
  const ledger = await on.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [LEDGER_TABLE]);
  if (ledger.rows.length === 0) return [];
  const { rows } = await on.query<{ name: string }>(
    `SELECT name FROM ${LEDGER_TABLE} ORDER BY position`,
  );
  return rows.map(({ name }) => name);
}

/** Asks again and again instead of waiting in the server, where a wait would hold a snapshot open. */
async function takeLock(client: Queryable): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const taken = await client.query("SELECT 1 WHERE pg_try_advisory_lock($1)", [MIGRATION_LOCK]);
    if (taken.rows.length > 0) return;
    if (Date.now() >= deadline) {
      throw new DatabaseError(
        "migration_locked",
        `Another process has held the migration lock for ${LOCK_TIMEOUT_MS / 1000} s ` +
          `(advisory lock ${MIGRATION_LOCK}). If none is migrating, look for its session in pg_locks and end it.`,
      );
    }
    await delay(LOCK_POLL_MS);
  }
}
