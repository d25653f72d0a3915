// What bad input gets: an error with a code that names what is wrong and says what to do, and nothing
// half written.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Database from "better-sqlite3";
import pg from "pg";
import { isSkeinResultsError, markRun, resultMethods, type ResultDriver } from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { postgresDriver } from "skein-results/postgres";
import { sqliteDriver, sqliteMigrations } from "skein-results/sqlite";
import { describe, expect, it } from "vitest";

import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

import { oldHostMigrations } from "./programs/old-host.js";

/** An error with these members. */
const withMembers = (members: object) => expect.objectContaining(members) as Error;

describe("a driver without a primitive", () => {
  const own: ResultDriver = { record: () => undefined, read: () => null };

  it.each([
    ["nothing at all", {}, ["record", "read"]],
    ["record alone", { record: own.record.bind(own) }, ["read"]],
    ["read that is no function", { ...own, read: "SELECT" }, ["read"]],
    [
      "a getter that throws",
      {
        ...own,
        get record() {
          throw new Error("boom");
        },
      },
      ["record"],
    ],
  ])("with %s is refused by name, when it is handed over", (_, driver, missing) => {
    const open = () => resultMethods(driver as unknown as ResultDriver);
    expect(open).toThrow(withMembers({ code: "driver_incomplete", details: { missing } }));
    for (const name of missing) expect(open).toThrow(name);
  });

  it("offers only what it has, also from a prototype that uses this", async () => {
    class OwnDriver implements ResultDriver {
      #texts: Awaited<ReturnType<ResultDriver["read"]>> = null;
      record(_: string, texts: Parameters<ResultDriver["record"]>[1]): void {
        this.#texts ??= texts;
      }
      read() {
        return this.#texts;
      }
    }
    const runs = resultMethods(new OwnDriver());
    expect(runs).not.toHaveProperty("settleRun");
    expect(runs).not.toHaveProperty("cancelRun");
    await runs.recordResult("r", { values: { a: 1 } });
    expect(await runs.getResult("r")).toEqual({ values: { a: 1 } });
  });
});

describe("an SQLite file", () => {
  it("that is not a database is named, and left as it is", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skein-bad-"));
    const path = join(folder, "notes.txt");
    await writeFile(path, "These are notes, and not a database. ".repeat(100));
    const database = new Database(path);
    try {
      const open = () => sqliteDriver({ database });
      expect(open).toThrow(withMembers({ code: "database_unusable" }));
      expect(open).toThrow(/notes\.txt.*not a database.*Check that the file/);
    } finally {
      database.close();
      await rm(folder, { recursive: true });
    }
  });

  it("without the table or the columns says which migrations to run", () => {
    const database = new Database(":memory:");
    expect(() => sqliteDriver({ database })).toThrow(/no such table.*sqliteMigrations/);
    for (const { up } of oldHostMigrations) database.exec(up);
    expect(() => sqliteDriver({ database })).toThrow(/no such column.*sqliteMigrations/);
  });

  it("that is closed under the driver fails with the driver's own error as the cause", async () => {
    const database = new Database(":memory:");
    for (const { up } of [...oldHostMigrations, ...sqliteMigrations]) database.exec(up);
    const runs = resultMethods(sqliteDriver({ database }));
    database.close();
    const failed = await runs.getResult("r").catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "driver_failed", details: { primitive: "read" } });
    expect((failed as Error).cause).toBeInstanceOf(TypeError);
  });
});

describe("a Postgres server", () => {
  it("that is down is named, and what to check", async () => {
    const pool = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    const runs = resultMethods(postgresDriver({ pool }));
    const failed = await runs.recordResult("r", { values: {} }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "driver_failed" });
    expect((failed as Error).cause).toMatchObject({ code: "database_unusable" });
    expect((failed as Error).message).toMatch(/Postgres server.*Check that the server is up/);
    await pool.end();
  });

  it("without the table says which migrations to run", async () => {
    const server = await startPostgres();
    const database = await freshDatabase(server.url);
    const pool = new pg.Pool({ connectionString: database.url });
    try {
      const runs = resultMethods(postgresDriver({ pool }));
      await expect(runs.getResult("r")).rejects.toThrow(/does not exist.*postgresMigrations/);
    } finally {
      await pool.end();
      await database.drop();
      await server.stop();
    }
  });
});

describe("the names of a host's table", () => {
  it("may be any, and stay names", async () => {
    const database = new Database(":memory:");
    database.exec(
      `CREATE TABLE "my ""runs" ("the id" text PRIMARY KEY, "state" text, "why" text, "when" text)`,
    );
    for (const { up } of sqliteMigrations)
      database.exec(up.replaceAll("TABLE runs", `TABLE "my ""runs"`));
    database.exec(`INSERT INTO "my ""runs" ("the id", "state") VALUES ('r', 'running')`);
    const runs = resultMethods(
      sqliteDriver({
        database,
        table: 'my "runs',
        columns: { id: "the id", status: "state", error: "why", updatedAt: "when" },
      }),
    );
    const settled = await runs.settleRun("r", { status: "success", result: { values: { a: 1 } } });
    expect(settled).toEqual({ status: "success", won: true });
    expect(await runs.getResult("r")).toEqual({ values: { a: 1 } });
  });
});

describe("a delivery that cannot be recorded", () => {
  it("takes the settle with it", async () => {
    const refuse = () => {
      throw new Error("outbox full");
    };
    const database = new Database(":memory:");
    for (const { up } of [...oldHostMigrations, ...sqliteMigrations]) database.exec(up);
    database.exec("INSERT INTO runs (run_id, status) VALUES ('r', 'running')");
    const rows = new Map([["r", { status: "running" as const }]]);
    for (const driver of [
      sqliteDriver({ database, deliver: refuse }),
      memoryDriver({ runs: rows, deliver: refuse }),
    ]) {
      const runs = resultMethods(driver);
      const settle = runs.settleRun("r", {
        status: "success",
        result: { values: {} },
        delivery: {},
      });
      await expect(settle).rejects.toMatchObject({ code: "driver_failed" });
      expect(await runs.getResult("r")).toBeNull();
      expect(await runs.cancelRun("r")).toEqual({ status: "cancelled", won: true });
    }
  });
});

describe("a mark that is none", () => {
  it.each([
    { root: "", turn: 0, message: null },
    { root: "r", turn: -1, message: null },
    { root: "r", turn: 0.5, message: null },
    { root: "r", turn: 0, message: {} as never },
  ])("is refused: %j", (mark) => {
    expect(() => markRun({}, mark)).toThrow(withMembers({ code: "invalid_mark" }));
  });
});

it("recognises its errors by shape, and no others", () => {
  expect(isSkeinResultsError(new Error("x"))).toBe(false);
  expect(isSkeinResultsError({ name: "SkeinResultsError", code: "x", details: {} })).toBe(false);
  expect(isSkeinResultsError(undefined)).toBe(false);
});
