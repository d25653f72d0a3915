// The store in an SQLite file, over better-sqlite3.

import type { Database } from "better-sqlite3";
import { resultMethods } from "skein-results";
import {
  migrateSqlite,
  sqliteDriver,
  sqliteMigrations,
  sqliteTaskMigrations,
} from "skein-results/sqlite";

import {
  requireValidMaxPageSize,
  type DeliveryCreate,
  type SnapshotStore,
  type StoreOptions,
} from "./contract.js";
import { sqliteHostMigrations } from "./migrations/sqlite.generated.js";
import { sqliteAssistants } from "./sqlite/assistants.js";
import { sqliteDeliveries, sqliteDeliveryInsert } from "./sqlite/deliveries.js";
import { explainingFailure, openDatabase } from "./sqlite/open-database.js";
import { sqliteRuns } from "./sqlite/runs.js";
import { sqliteSnapshots } from "./sqlite/snapshots.js";
import { sqliteThreadCopy } from "./sqlite/thread-copies.js";
import { sqliteThreads } from "./sqlite/threads.js";

/** Where an SQLite store lives. */
export interface SqliteStoreOptions extends StoreOptions {
  /** The file, which is created if it does not exist; its folder must exist. */
  path: string;
}

/** An open SQLite store. */
export interface SqliteStore {
  store: SnapshotStore;
  /** The connection, for a checkpoint saver to share. */
  database: Database;
  close: () => Promise<void>;
}

/**
 * Opens a store in a file, bringing its schema up to date: a file written before results existed is
 * upgraded in place. Several processes may open one file at the same time.
 *
 * @throws DatabaseError for a file that is no database or cannot be written
 *
 * @example
 * ```ts
 * const { store, database, close } = await openSqliteStore({ path: "agent.db" });
 * const saver = new SqliteSaver(database);
 * ```
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const maxPageSize = requireValidMaxPageSize(options.maxPageSize);
  const database = await openDatabase(options.path);
  try {
    await explainingFailure(options.path, () =>
      migrateSqlite(database, [sqliteHostMigrations, sqliteMigrations, sqliteTaskMigrations]),
    );
    return {
      store: storeOver(database, maxPageSize),
      database,
      close: () => {
        database.close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function storeOver(database: Database, maxPageSize: number): SnapshotStore {
  const insertDelivery = sqliteDeliveryInsert(database);
  const results = sqliteDriver({
    database,
    deliver: (runId, delivery, status) => {
      insertDelivery(runId, status, delivery as DeliveryCreate);
    },
  });
  return {
    assistants: sqliteAssistants(database, maxPageSize),
    threads: {
      ...sqliteThreads(database, maxPageSize),
      ...sqliteThreadCopy(database, results),
    },
    runs: sqliteRuns(database, { maxPageSize, results: resultMethods(results), insertDelivery }),
    deliveries: sqliteDeliveries(database, maxPageSize),
    ...sqliteSnapshots(database, results),
    durable: true,
    maxPageSize,
  };
}
