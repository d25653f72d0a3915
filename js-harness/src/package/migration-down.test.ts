// Down and up again: nothing is lost but the results, and an older build works in between and after.

import Database from "better-sqlite3";
import pg from "pg";
import { resultMethods } from "skein-results";
import { postgresDriver, postgresMigrations } from "skein-results/postgres";
import { sqliteDriver, sqliteMigrations } from "skein-results/sqlite";
import { expect, it } from "vitest";

import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

import { OLD_RUNS, oldHostMigrations } from "./programs/old-host.js";

/** A database, as far as both kinds are the same. */
interface Sql {
  execute(sql: string): Promise<unknown>;
  rows(sql: string): Promise<unknown[]>;
}

/** What an older build reads and writes. */
const OLD_READ = "SELECT run_id, status, updated_at FROM runs ORDER BY run_id";
const OLD_WRITE = "UPDATE runs SET updated_at = 'then' WHERE run_id = 'r2'";

async function downAndUp(
  sql: Sql,
  migrations: typeof sqliteMigrations,
  openRuns: () => Pick<ReturnType<typeof resultMethods>, "recordResult" | "getResult">,
): Promise<void> {
  for (const { up } of oldHostMigrations) await sql.execute(up);
  await sql.execute(OLD_RUNS);
  for (const { up } of migrations) await sql.execute(up);
  await openRuns().recordResult("r1", { values: { kept: false } });
  await sql.execute(OLD_WRITE);
  const before = await sql.rows(OLD_READ);

  for (const { down } of [...migrations].reverse()) await sql.execute(down);
  expect(await sql.rows(OLD_READ)).toEqual(before);
  const [row] = await sql.rows("SELECT * FROM runs");
  expect(Object.keys(row as object)).toEqual(["run_id", "status", "updated_at", "error"]);

  for (const { up } of migrations) await sql.execute(up);
  expect(await sql.rows(OLD_READ)).toEqual(before);
  expect(await openRuns().getResult("r1")).toBeNull();
  await openRuns().recordResult("r1", { values: { kept: true } });
  expect(await openRuns().getResult("r1")).toEqual({ values: { kept: true } });
}

it("loses nothing but results on SQLite", async () => {
  const database = new Database(":memory:");
  const sql: Sql = {
    execute: (text) => Promise.resolve(database.exec(text)),
    rows: (text) => Promise.resolve(database.prepare(text).all()),
  };
  await downAndUp(sql, sqliteMigrations, () => resultMethods(sqliteDriver({ database })));
});

it("loses nothing but results on Postgres", async () => {
  const server = await startPostgres();
  const fresh = await freshDatabase(server.url);
  const pool = new pg.Pool({ connectionString: fresh.url });
  try {
    const sql: Sql = {
      execute: (text) => pool.query(text),
      rows: async (text) => (await pool.query<object>(text)).rows,
    };
    await downAndUp(sql, postgresMigrations, () => resultMethods(postgresDriver({ pool })));
  } finally {
    await pool.end();
    await fresh.drop();
    await server.stop();
  }
});
