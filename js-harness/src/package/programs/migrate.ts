// Migrates a database with the package's runner: `sqlite <path>` or `postgres <url>`. Sends "ready"
// once it is loaded, starts when it is told to, sends "begun", and then what it applied.

import { once } from "node:events";

import Database from "better-sqlite3";
import pg from "pg";
import { migratePostgres, postgresMigrations } from "skein-results/postgres";
import { migrateSqlite, sqliteMigrations } from "skein-results/sqlite";

import { oldHostMigrations } from "./old-host.js";

const [kind = "", place = ""] = process.argv.slice(2);
process.send?.("ready");
await once(process, "message");
process.send?.("begun");
process.send?.(await (kind === "sqlite" ? onSqlite() : onPostgres()));
process.disconnect();

async function onSqlite(): Promise<string[]> {
  const database = new Database(place, { timeout: 5_000 });
  try {
    return await migrateSqlite(database, [oldHostMigrations, sqliteMigrations]);
  } finally {
    database.close();
  }
}

async function onPostgres(): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: place });
  try {
    return await migratePostgres(pool, [oldHostMigrations, postgresMigrations]);
  } finally {
    await pool.end();
  }
}
