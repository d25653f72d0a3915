import BetterSqlite3, { type Database } from "better-sqlite3";

import { DatabaseError } from "../contract.js";
import { containsJson } from "../metadata-match.js";

import { BUSY_TIMEOUT_MS, errorCode, retryWhileBusy } from "./busy.js";

/**
 * Opens (or creates) a file with the settings that the store's promises rest on: a write that was
 * acknowledged survives a killed process and a power loss, readers do not wait for a writer, and a
 * deleted thread takes its runs with it. All but the journal mode hold for this connection only.
 *
 * @throws DatabaseError `not_a_database` and `cannot_open`
 */
export async function openDatabase(path: string): Promise<Database> {
  return explainingFailure(path, async () => {
    const database = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      await retryWhileBusy(() => database.pragma("journal_mode = WAL"));
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      database.function(CONTAINS_JSON, { deterministic: true }, (subject, filter) =>
        containsJson(JSON.parse(String(subject)), JSON.parse(String(filter))) ? 1 : 0,
      );
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** SQL's name for the metadata filter, which SQLite has no operator for. */
export const CONTAINS_JSON = "skein_contains_json";

/** Does the work of opening, and says which file it was and what to do if SQLite refuses it. */
export async function explainingFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(path, error);
  }
}

function explained(path: string, error: unknown): unknown {
  const code = errorCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) {
    return new DatabaseError(
      "not_a_database",
      `"${path}" is not an SQLite database, or a damaged one (${reason}). ` +
        `It has been left as it is: name another file, which is created if it does not exist.`,
      { cause: error },
    );
  }
  // The driver throws a TypeError for a folder that does not exist, before SQLite is asked.
  if (code.startsWith("SQLITE_") || error instanceof TypeError) {
    return new DatabaseError(
      "cannot_open",
      `The SQLite file "${path}" cannot be opened: ${reason}. ` +
        `Check that its folder exists and that this process may write to it and to the file.`,
      { cause: error },
    );
  }
  return error;
}
