// Six processes migrate one database at once, and one of them is killed at some moment: all others end
// well, and the database is as one process would have left it.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import Database from "better-sqlite3";
import pg from "pg";
import { migratePostgres, postgresMigrations } from "skein-results/postgres";
import { migrateSqlite, sqliteMigrations } from "skein-results/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import { OLD_RUNS, oldHostMigrations } from "./programs/old-host.js";

const PROCESSES = 6;
/** The moment of the kill, in milliseconds after the start of a round: from before the first
 * statement to after the last one. */
const KILLED_AFTER_MS = [0, 2, 5, 10, 15, 20, 30, 40];
const LEDGER = ["0001_init", "0002_ends", "0001_run_results"];

let program: ChildProgram;
let postgres: PostgresServer;
let folder: string;

beforeAll(async () => {
  program = await childProgram(new URL("programs/migrate.ts", import.meta.url));
  postgres = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), "skein-migrations-"));
});
afterAll(async () => {
  await program.remove();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** Starts six at the same moment, kills the first one later, and answers how the others ended. */
async function race(kind: string, place: string, killedAfter: number): Promise<unknown[]> {
  const children = Array.from({ length: PROCESSES }, () => program.start(kind, place));
  await Promise.all(children.map((child) => once(child, "message")));
  const ends = children.map(endOf);
  for (const child of children) child.send("start");
  await delay(killedAfter);
  children[0]?.kill("SIGKILL");
  return (await Promise.all(ends)).slice(1);
}

async function endOf(child: ChildProcess): Promise<unknown> {
  const printed: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? 0 : printed.join("");
}

const WELL = Array.from({ length: PROCESSES - 1 }, () => 0);

describe("six processes that migrate at once, one of them killed", () => {
  it.each(KILLED_AFTER_MS)("on an empty SQLite file, killed after %i ms", async (after) => {
    const path = join(folder, `empty-${after}.db`);
    expect(await race("sqlite", path, after)).toEqual(WELL);
    const database = new Database(path);
    expect(await migrateSqlite(database, [oldHostMigrations, sqliteMigrations])).toEqual([]);
    expect(sqliteSchema(database)).toEqual(await sqliteSchemaOfOne());
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    database.close();
  });

  it.each(KILLED_AFTER_MS)(
    "on an SQLite file from before results, killed after %i ms",
    async (after) => {
      const path = join(folder, `old-${after}.db`);
      const old = new Database(path);
      await migrateSqlite(old, [oldHostMigrations]);
      old.exec(OLD_RUNS);
      old.close();
      expect(await race("sqlite", path, after)).toEqual(WELL);
      const database = new Database(path);
      expect(sqliteSchema(database)).toEqual(await sqliteSchemaOfOne());
      const runs = database.prepare("SELECT run_id, result_values FROM runs ORDER BY run_id").all();
      expect(runs).toEqual(["r1", "r2", "r3"].map((run_id) => ({ run_id, result_values: null })));
      database.close();
    },
  );

  it.each(KILLED_AFTER_MS)("on an empty Postgres database, killed after %i ms", async (after) => {
    await onFreshDatabase(async (url, pool) => {
      expect(await race("postgres", url, after)).toEqual(WELL);
      expect(await postgresLedger(pool)).toEqual(LEDGER);
      const lists = [oldHostMigrations, postgresMigrations];
      expect(await migratePostgres(pool, lists)).toEqual([]);
    });
  });

  it.each(KILLED_AFTER_MS)(
    "on a Postgres database from before results, killed after %i ms",
    async (after) => {
      await onFreshDatabase(async (url, pool) => {
        await migratePostgres(pool, [oldHostMigrations]);
        await pool.query(OLD_RUNS);
        expect(await race("postgres", url, after)).toEqual(WELL);
        expect(await postgresLedger(pool)).toEqual(LEDGER);
        const { rows } = await pool.query("SELECT run_id, result_values FROM runs ORDER BY run_id");
        expect(rows).toEqual(["r1", "r2", "r3"].map((run_id) => ({ run_id, result_values: null })));
      });
    },
  );
});

function sqliteSchema(database: Database.Database): unknown {
  return {
    schema: database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all(),
    ledger: database.prepare("SELECT name FROM skein_migrations ORDER BY position").pluck().all(),
  };
}

async function sqliteSchemaOfOne(): Promise<unknown> {
  const database = new Database(":memory:");
  await migrateSqlite(database, [oldHostMigrations, sqliteMigrations]);
  return sqliteSchema(database);
}

async function onFreshDatabase(use: (url: string, pool: pg.Pool) => Promise<void>): Promise<void> {
  const database = await freshDatabase(postgres.url);
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    await use(database.url, pool);
  } finally {
    await pool.end();
    await database.drop();
  }
}

async function postgresLedger(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT name FROM skein_migrations ORDER BY position",
  );
  return rows.map(({ name }) => name);
}
