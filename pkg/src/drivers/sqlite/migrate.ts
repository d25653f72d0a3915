import { requireMethods } from "../../wasm/argument.js";
import { requireMigrations, type SqlMigration } from "../sql/run-table.js";
import type { SqliteDatabase } from "./index.js";

import { LEDGER_TABLE, migrationFailed, pendingMigrations } from "../sql/ledger.js";

/** How long a connection is waited for that holds the file. */
const BUSY_TIMEOUT_MS = 5_000;
const RETRY_INTERVAL_MS = 20;

/**
 * Applies what the file lacks of these lists and answers the names, in order. A file that lacks nothing
 * is not written to.
 *
 * Each migration is one transaction, which reads the ledger again once it holds the write lock, so
 * several processes may open one file at the same time. A host with a runner of its own takes the SQL
 * of the migrations instead.
 *
 * @param lists the host's own migrations, and `sqliteMigrations` after them
 * @throws `migration_failed`, `migration_order`, `invalid_argument`
 */
export async function migrateSqlite(
  database: SqliteDatabase,
  lists: readonly (readonly SqlMigration[])[],
): Promise<string[]> {
  requireMethods("database", database, ["exec", "prepare", "transaction"]);
  requireMigrations(lists);
  const missing = () => pendingMigrations(lists, appliedNames(database));
  const applyNext = (): string | null => {
    database.exec(CREATE_LEDGER);
    const [migration] = missing();
    if (!migration) return null;
    try {
      database.exec(migration.up);
    } catch (cause) {
      throw migrationFailed(migration, cause);
    }
    database
      .prepare(`INSERT INTO ${LEDGER_TABLE} (name, applied_at) VALUES (?, ?)`)
      .run(migration.name, new Date().toISOString());
    return migration.name;
  };

  const applied: string[] = [];
  for (;;) {
    const name = await retryWhileBusy(() =>
      missing().length === 0 ? null : database.transaction(applyNext).immediate(),
    );
    if (name === null) return applied;
    applied.push(name);
  }
}

const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER_TABLE} (
  position   INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  applied_at TEXT NOT NULL
) STRICT`;

function appliedNames(database: SqliteDatabase): string[] {
  const table = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(LEDGER_TABLE);
  if (table === undefined) return [];
  const rows = database.prepare(`SELECT name FROM ${LEDGER_TABLE} ORDER BY position`).all();
  return rows.map((row) => (row as { name: string }).name);
}

/**
 * Repeats what SQLite answers with "busy" at once, without asking its own timer: recovering a WAL that
 * a killed process left behind, for one.
 */
async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
  }
}

/** Also the extended codes, `SQLITE_BUSY_RECOVERY` and the like. */
function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}
