import type { Database } from "better-sqlite3";

import {
  LEDGER_TABLE,
  migrationFailed,
  pendingMigrations,
  type Migration,
} from "./migrations/ledger.js";
import { retryWhileBusy } from "./sqlite/busy.js";

/**
 * Applies what the file lacks and answers the names, in order; a file that lacks nothing is not
 * written to. Each migration is a transaction of its own that reads the ledger again once it holds the
 * write lock, so that several processes may open one file at the same time.
 *
 * @throws DatabaseError `migration_order` and `migration_failed`
 */
export async function migrateSqlite(
  database: Database,
  lists: readonly (readonly Migration[])[],
): Promise<string[]> {
  const missing = () => pendingMigrations(lists, appliedNames(database));
  const applyNext = database.transaction((): string | null => {
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
  });

  const applied: string[] = [];
  for (;;) {
    const name = await retryWhileBusy(() =>
      missing().length === 0 ? null : applyNext.immediate(),
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

function appliedNames(database: Database): string[] {
  const exists = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(LEDGER_TABLE);
  if (!exists) return [];
  return database
    .prepare<[], string>(`SELECT name FROM ${LEDGER_TABLE} ORDER BY position`)
    .pluck()
    .all();
}
