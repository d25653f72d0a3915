import { SkeinResultsError } from "../../wasm/errors.js";
import { readArgument, requireMethods } from "../../wasm/argument.js";
import type { PostgresClient, PostgresPool, PostgresQueryable } from "./index.js";
import { requireMigrations, type SqlMigration } from "../sql/run-table.js";

import { LEDGER_TABLE, migrationFailed, pendingMigrations } from "../sql/ledger.js";

/** Any constant does, as long as every build that migrates a database uses the same. */
const MIGRATION_LOCK = "7238110361";
const LOCK_POLL_MS = 50;
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Applies what the database lacks of these lists and answers the names, in order. One process migrates
 * at a time; the others wait and then find nothing to do. Each migration is one transaction.
 *
 * The pool must lead to the server itself: the lock belongs to a session, which a pooler in
 * transaction mode does not keep. A host with a runner of its own takes the SQL of the migrations
 * instead.
 *
 * @param lists the host's own migrations, and `postgresMigrations` after them
 * @throws `migration_failed`, `migration_order`, `migration_locked`, `invalid_argument`
 */
export async function migratePostgres(
  pool: PostgresPool,
  lists: readonly (readonly SqlMigration[])[],
): Promise<string[]> {
  requireMethods("pool", pool, ["query", "connect"]);
  requireMigrations(lists);
  if (pendingMigrations(lists, await appliedNames(pool)).length === 0) return [];
  const client = await pool.connect();
  const ignore = () => undefined;
  client.on("error", ignore);
  try {
    // A change of a large table takes as long as it takes.
    await client.query("SET statement_timeout = 0");
    await takeLock(client);
    return await applyPending(client, lists);
  } finally {
    client.off("error", ignore);
    // Destroyed, which ends the session: no lock and no setting stays on a connection that somebody
    // else would get.
    client.release(true);
  }
}

async function applyPending(
  client: PostgresClient,
  lists: readonly (readonly SqlMigration[])[],
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

async function apply(client: PostgresClient, migration: SqlMigration): Promise<void> {
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

async function appliedNames(on: PostgresQueryable): Promise<string[]> {
  const ledger = await rows(on, "SELECT 1 WHERE to_regclass($1) IS NOT NULL", [LEDGER_TABLE]);
  if (ledger.length === 0) return [];
  const applied = await rows(on, `SELECT name FROM ${LEDGER_TABLE} ORDER BY position`);
  return applied.map((row) => (row as { name: string }).name);
}

async function rows(on: PostgresQueryable, sql: string, given?: unknown[]): Promise<unknown[]> {
  const answer = await on.query(sql, given);
  return readArgument("pool", () => [...answer.rows]);
}

/** Asks again and again instead of waiting in the server, where a wait would hold a snapshot open. */
async function takeLock(client: PostgresClient): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const taken = await rows(client, "SELECT 1 WHERE pg_try_advisory_lock($1)", [MIGRATION_LOCK]);
    if (taken.length > 0) return;
    if (Date.now() >= deadline) {
      throw new SkeinResultsError(
        "migration_locked",
        `Another process has held the migration lock for ${LOCK_TIMEOUT_MS / 1_000} s (advisory lock ${MIGRATION_LOCK}). ` +
          "If none is migrating, look for its session in pg_locks and end it.",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}
