// A database that processes have migrated, as the next process finds it: the same questions to both kinds.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";
import { resultMethods, type ResultMethods } from "skein-results";
import { migratePostgres, postgresDriver, postgresMigrations } from "skein-results/postgres";
import { migrateSqlite, sqliteDriver, sqliteMigrations } from "skein-results/sqlite";

import type { DatabasePlace } from "../invariants/rows.js";
import { oldHostMigrations } from "../package/programs/old-host.js";

/** The build from before results, or the one with them. */
export type Build = "old" | "new";

export interface MigratedDatabase {
  /** Migrates as that build does, and answers the names of what it applied. */
  migrate(build: Build): Promise<string[]>;
  query(sql: string): Promise<unknown[]>;
  /** The package's methods, on a database that has its columns. */
  results(): ResultMethods;
  /** Tables, columns, indexes and constraints, and the ledger in its order. */
  schema(): Promise<unknown>;
  /** What differs as soon as anything is written, be it the same again. */
  writes(): Promise<string>;
  /** What the database itself says of its soundness. */
  integrity(): Promise<unknown>;
  close(): Promise<void>;
}

export function openMigrated({ kind, at }: DatabasePlace): MigratedDatabase {
  return kind === "sqlite" ? onSqlite(at) : onPostgres(at);
}

const LEDGER = "SELECT name FROM skein_migrations ORDER BY position";

function onSqlite(path: string): MigratedDatabase {
  const database = new BetterSqlite3(path, { timeout: 5_000 });
  const query = (sql: string): Promise<unknown[]> => {
    const statement = database.prepare(sql);
    return Promise.resolve(statement.reader ? statement.all() : [statement.run()]);
  };
  return {
    migrate: (build) =>
      migrateSqlite(database, [oldHostMigrations, ...(build === "new" ? [sqliteMigrations] : [])]),
    query,
    results: () => resultMethods(sqliteDriver({ database })),
    schema: async () => [
      await query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"),
      await query(LEDGER),
    ],
    writes: async () =>
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    integrity: () => Promise.resolve(database.pragma("integrity_check", { simple: true })),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}

const COLUMNS = `SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 3`;
const INDEXES =
  "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname";
const CONSTRAINTS = `SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace ORDER BY conname`;
/** The transactions that wrote the rows, and those of the catalogue about the tables. */
const WRITERS = `SELECT 'run' AS of, xmin::text FROM runs
  UNION ALL SELECT 'entry', xmin::text FROM skein_migrations
  UNION ALL SELECT 'table', xmin::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
  ORDER BY 1, 2`;
/** Indexes that were left half made, and whatever is still open on this database. */
const UNSOUND = `SELECT indexrelid::regclass::text AS what FROM pg_index WHERE NOT indisvalid
  UNION ALL SELECT state FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in%'`;

function onPostgres(url: string): MigratedDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const query = async (sql: string): Promise<unknown[]> => (await pool.query<object>(sql)).rows;
  return {
    migrate: (build) =>
      migratePostgres(pool, [oldHostMigrations, ...(build === "new" ? [postgresMigrations] : [])]),
    query,
    results: () => resultMethods(postgresDriver({ pool })),
    schema: async () => [
      await query(COLUMNS),
      await query(INDEXES),
      await query(CONSTRAINTS),
      await query(LEDGER),
    ],
    writes: async () => JSON.stringify(await query(WRITERS)),
    integrity: async () => {
      const unsound = await query(UNSOUND);
      return unsound.length === 0 ? "ok" : unsound;
    },
    close: () => pool.end(),
  };
}
