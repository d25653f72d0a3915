import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import BetterSqlite3, { type Database } from "better-sqlite3";
import { migrateSqlite, sqliteMigrations } from "skein-results/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";

import { sqliteHostMigrations } from "./migrations/sqlite.generated.js";
import { ASSISTANT_FIELDS, DELIVERY_FIELDS, RUN_FIELDS, THREAD_FIELDS } from "./sql-rows.js";
import { openSqliteStore } from "./sqlite.js";
import { describeStore } from "./store-suite.js";
import { newRun, completeStore } from "./store-suite/fixtures.js";

const LEDGER = ["0001_init", "0002_thread_ttl", "0001_run_results", "0001_task_index"];

let folder: string;
let files = 0;
const newPath = (): string => join(folder, `store-${(files += 1)}.db`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-sqlite-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("SQLite", () => {
  let path: string;
  beforeAll(() => {
    path = newPath();
  });
  describeStore("SQLite", { open: () => openSqliteStore({ path }), lasting: true });
});

describe("an SQLite store", () => {
  it("is opened so that an acknowledged write survives a power loss and readers do not wait", async () => {
    const { store, database, close } = await openSqliteStore({ path: newPath() });

    expect(store.durable).toBe(true);
    expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(database.pragma("synchronous", { simple: true })).toBe(2);
    expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
    expect(database.pragma("busy_timeout", { simple: true })).toBe(5000);
    await close();
    expect(database.open).toBe(false);
  });

  it("refuses an id that exists for a run, and keeps the run that has it", async () => {
    const { store, close } = await openSqliteStore({ path: newPath() });
    const run = await newRun(store, { kwargs: { input: 1 } });

    await expect(newRun(store, { run_id: run.run_id })).rejects.toMatchObject({ status: 409 });

    expect(await store.runs.get(run.run_id)).toEqual(run);
    await close();
  });

  it("erases runs and results with their thread on a connection without foreign keys", async () => {
    const path = newPath();
    const { store, database, close } = await openSqliteStore({ path });
    const run = await newRun(store);
    await completeStore(store).runs.recordResult(run.run_id, { values: { value: "first" } });
    database.pragma("foreign_keys = OFF");

    await store.threads.delete(run.thread_id);

    const other = new BetterSqlite3(path);
    expect(other.prepare("SELECT count(*) FROM runs").pluck().get()).toBe(0);
    other.close();
    expect(await completeStore(store).runs.getResult(run.run_id)).toBeNull();
    await close();
  });

  it("reads every column of its tables but those that no row may show", async () => {
    const { database, close } = await openSqliteStore({ path: newPath() });
    const unread = (table: string, fields: readonly string[]) =>
      columnsOf(database, table).filter((name) => !fields.includes(name));

    expect(unread("assistants", ASSISTANT_FIELDS)).toEqual([]);
    expect(unread("threads", THREAD_FIELDS)).toEqual(["expires_at"]);
    expect(unread("deliveries", DELIVERY_FIELDS)).toEqual([]);
    expect(unread("runs", RUN_FIELDS)).toEqual([
      "seq",
      "kwargs",
      "base_checkpoint",
      "result_values",
      "result_interrupts",
      "result_reply",
      "result_checkpoint",
    ]);
    await close();
  });

  it("finds a thread's runs, the latest one and those in flight by an index", async () => {
    const { database, close } = await openSqliteStore({ path: newPath() });
    const plan = (sql: string) =>
      database
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join();

    expect(plan("SELECT * FROM runs WHERE thread_id = 't' ORDER BY seq DESC LIMIT 1")).toMatch(
      /USING INDEX runs_thread_idx \(thread_id=\?\)$/,
    );
    expect(
      plan("SELECT 1 FROM runs WHERE thread_id = 't' AND status IN ('pending', 'running')"),
    ).toContain("runs_inflight_idx");
    await close();
  });
});

describe("opening an SQLite file", () => {
  let counting: ChildProgram;
  beforeAll(async () => {
    counting = await childProgram(new URL("programs/count-sqlite-runs.ts", import.meta.url));
  });
  afterAll(() => counting.remove());

  it("says so if it is not a database, and leaves it as it is", async () => {
    const path = newPath();
    await writeFile(
      path,
      "These are my notes, and there are more of them than fit a header. ".repeat(20),
    );
    const before = await readFile(path);

    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      name: "DatabaseError",
      code: "not_a_database",
      message: expect.stringContaining(path) as string,
    });
    expect(await readFile(path)).toEqual(before);
  });

  it("says so if it cannot be opened: a folder that is not there, a path that is a folder", async () => {
    for (const path of [join(folder, "missing", "store.db"), folder]) {
      await expect(openSqliteStore({ path })).rejects.toMatchObject({
        code: "cannot_open",
        message: expect.stringContaining(path) as string,
      });
    }
  });

  it("says which migration failed on another program's database, and changes nothing in it", async () => {
    const path = newPath();
    const foreign = new BetterSqlite3(path);
    foreign.exec("CREATE TABLE runs (lap INTEGER)");

    await expect(openSqliteStore({ path })).rejects.toMatchObject({
      code: "migration_failed",
      message: expect.stringMatching(/0001_init.*runs already exists/) as string,
    });
    expect(tablesOf(foreign)).toEqual(["runs"]);
    foreign.close();
  });

  it("waits for a process that is writing, also for the switch to WAL, which SQLite itself does not", async () => {
    const path = newPath();
    const writer = new BetterSqlite3(path);
    writer.exec("CREATE TABLE other (id INTEGER); BEGIN IMMEDIATE; INSERT INTO other VALUES (1)");
    const second = new BetterSqlite3(path, { timeout: 5000 });
    expect(() => second.pragma("journal_mode = WAL")).toThrow(
      expect.objectContaining({ code: "SQLITE_BUSY" }) as Error,
    );
    second.close();

    const opening = openSqliteStore({ path });
    await delay(300);
    writer.exec("COMMIT");
    writer.close();

    const { database, close } = await opening;
    expect(tablesOf(database)).toContain("runs");
    await close();
  });

  it("upgrades a file from before results existed, whichever of six processes comes first", async () => {
    const path = newPath();
    const old = new BetterSqlite3(path);
    await migrateSqlite(old, [sqliteHostMigrations.slice(0, 1)]);
    insertOldRuns(old);
    const before = old.prepare("SELECT * FROM runs").all();
    old.close();

    const counted = await Promise.all(Array.from({ length: 6 }, () => counting.run(path, "t1")));

    expect(counted).toEqual(Array.from({ length: 6 }, () => [3]));
    const { store, database, close } = await openSqliteStore({ path });
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(ledgerOf(database)).toEqual(LEDGER);
    expect(database.prepare("SELECT * FROM runs").all()).toEqual(
      before.map((row) => expect.objectContaining(row as object) as unknown),
    );
    expect(await completeStore(store).runs.getResult("r1")).toBeNull();
    await completeStore(store).runs.recordResult("r1", { values: { value: 1 } });
    expect(await completeStore(store).runs.getResult("r1")).toEqual({ values: { value: 1 } });
    await close();
  });

  it("finds out, once it may write, that another process has migrated the file meanwhile", async () => {
    const path = newPath();
    const other = new BetterSqlite3(path);
    await migrateSqlite(other, [sqliteHostMigrations]);
    insertOldRuns(other);
    other.pragma("journal_mode = WAL");
    other.exec("BEGIN IMMEDIATE");
    const counted = counting.run(path, "t1");
    // It has started and waits for the lock; were it slower, it would find the work done as well.
    await delay(700);

    for (const { name, up } of sqliteMigrations) {
      other.exec(up);
      other.prepare("INSERT INTO skein_migrations (name, applied_at) VALUES (?, '')").run(name);
    }
    other.exec("COMMIT");

    expect(await counted).toEqual([3]);
    expect(ledgerOf(other)).toEqual(LEDGER);
    other.close();
  });

  it("does not write to a file that lacks nothing", async () => {
    const path = newPath();
    const first = await openSqliteStore({ path });
    const writer = new BetterSqlite3(path);
    writer.exec("BEGIN IMMEDIATE");

    // It would wait for the writer for five seconds, and then fail.
    const second = await openSqliteStore({ path });

    writer.exec("ROLLBACK");
    writer.close();
    await second.close();
    await first.close();
  });

  it("lets an older build read what a newer one wrote", async () => {
    const path = newPath();
    const { store, close } = await openSqliteStore({ path });
    const run = await newRun(store);
    await completeStore(store).runs.recordResult(run.run_id, { values: { value: 1 } });
    await close();

    const older = new BetterSqlite3(path);
    expect(await migrateSqlite(older, [sqliteHostMigrations])).toEqual([]);
    older.prepare("UPDATE runs SET status = 'success' WHERE run_id = ?").run(run.run_id);
    older.close();

    const again = await openSqliteStore({ path });
    expect(await again.store.runs.get(run.run_id)).toMatchObject({ status: "success" });
    expect(await completeStore(again.store).runs.getResult(run.run_id)).toEqual({
      values: { value: 1 },
    });
    await again.close();
  });

  it("goes down as it came up", async () => {
    const database = new BetterSqlite3(newPath());
    await migrateSqlite(database, [sqliteHostMigrations]);

    for (const { down } of sqliteHostMigrations.toReversed()) database.exec(down);

    expect(tablesOf(database)).toEqual(["skein_migrations"]);
    database.close();
  });
});

function tablesOf(database: Database): string[] {
  return database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
}

function columnsOf(database: Database, table: string): string[] {
  return database
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck()
    .all(table);
}

function ledgerOf(database: Database): string[] {
  return database
    .prepare<[], string>("SELECT name FROM skein_migrations ORDER BY position")
    .pluck()
    .all();
}

function insertOldRuns(database: Database): void {
  const at = "2025-01-01T00:00:00.000Z";
  database
    .prepare(
      `INSERT INTO threads (thread_id, status, metadata, "values", interrupts,
                            created_at, updated_at, state_updated_at)
       VALUES ('t1', 'idle', '{}', '{}', '{}', ?, ?, ?)`,
    )
    .run(at, at, at);
  const insert = database.prepare(
    `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, created_at, updated_at)
     VALUES (?, 't1', 'echo', 'success', '{}', ?, ?)`,
  );
  for (const id of ["r1", "r2", "r3"]) insert.run(id, at, at);
}
