// The same objects handed over twice, and a store whose database was closed under it: nothing that was
// given is used up or changed, and what is gone fails with a code.

import Database from "better-sqlite3";
import pg from "pg";
import * as api from "skein-results";
import { postgresDriver } from "skein-results/postgres";
import { sqliteDriver } from "skein-results/sqlite";
import { describe, expect, it } from "vitest";

import { EVERY_CALL, METHODS, openDatabase, type EveryCall } from "./testing/every-call.js";
import { complaint, failureOf } from "./testing/junk.js";

/** Data that a call may not write to. */
function frozen(value: unknown): unknown {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return value;
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** What each of two calls with the same objects came to; a code where it was refused. */
async function twice({ open, given }: EveryCall): Promise<unknown[]> {
  const call = open();
  const values = given();
  for (const value of values) frozen(value);
  const first = await failureOf(call, values);
  const second = await failureOf(call, values);
  return [first, second].map((error) => (api.isSkeinResultsError(error) ? error.code : error));
}

it.each(EVERY_CALL.map((call) => [call.name, call] as const))(
  "%s is called twice with the same objects, which stay as they are",
  async (_name, call) => {
    const [first, second] = await twice(call);
    expect(second).toEqual(first);
    expect([undefined, "storage_unavailable", "capture_failed"]).toContain(first);
  },
);

describe("a database that was closed under its store", () => {
  const closedSqlite = (): api.ResultMethods => {
    const database: Database.Database = openDatabase();
    const methods = api.resultMethods(sqliteDriver({ database }));
    database.close();
    database.close();
    return methods;
  };
  const closedPool = async (): Promise<api.ResultMethods> => {
    const pool = new pg.Pool();
    const methods = api.resultMethods(postgresDriver({ pool }));
    await pool.end();
    return methods;
  };

  it.each<[name: string, open: () => api.ResultMethods | Promise<api.ResultMethods>]>([
    ["SQLite", closedSqlite],
    ["Postgres", closedPool],
  ])("on %s fails every method, twice, with a code", async (_name, open) => {
    const methods = await open();
    for (const [name, given] of Object.entries(METHODS)) {
      const method = Reflect.get(methods, name) as (...values: unknown[]) => unknown;
      for (let time = 0; time < 2; time += 1) {
        const error = await failureOf(method, given());
        expect([name, (error as { code?: unknown }).code]).toEqual([name, "driver_failed"]);
        expect(complaint(error)).toBeNull();
        expect(String(error)).not.toMatch(/null pointer|undefined/);
      }
    }
  });
});

it("nothing that the package hands out has to be freed", () => {
  const handed = [...Object.values(api), ...EVERY_CALL.map(({ open }) => open())];
  for (const value of handed) {
    if (typeof value !== "function") continue;
    const own: unknown = value.prototype;
    for (const name of ["free", "__destroy_into_raw"]) {
      expect(own === undefined || own === null || !Object.hasOwn(own, name)).toBe(true);
    }
  }
});
