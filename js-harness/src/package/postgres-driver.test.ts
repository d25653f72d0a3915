// What a Postgres database and what stands before it can do to a result (cases F-04, P-03, P-05, P-06).

import pg from "pg";
import { mergeResults, resultMethods, type RunResult } from "skein-results";
import { postgresDriver, postgresMigrations, type PostgresQueryable } from "skein-results/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { openPostgresStore } from "../stores/postgres.js";
import { oldHostMigrations } from "./programs/old-host.js";

let server: PostgresServer;
let database: FreshDatabase;
let pool: pg.Pool;
let other: pg.Pool;

beforeAll(async () => {
  server = await startPostgres();
  database = await freshDatabase(server.url);
  pool = new pg.Pool({ connectionString: database.url });
  other = new pg.Pool({ connectionString: database.url });
  for (const { up } of [...oldHostMigrations, ...postgresMigrations]) await pool.query(up);
});
afterAll(async () => {
  await pool.end();
  await other.end();
  await database.drop();
  await server.stop();
});

let created = 0;
async function newRun(): Promise<string> {
  created += 1;
  const runId = `run-${created}`;
  await pool.query("INSERT INTO runs (run_id, status) VALUES ($1, 'running')", [runId]);
  return runId;
}

/** Compares to the bit: `toEqual` takes -0 for 0. */
function expectIdentical(actual: unknown, expected: unknown): void {
  expect(actual).toStrictEqual(expected);
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
}

describe("texts and numbers", () => {
  const values: Record<string, unknown> = {
    "a text that is a number": "10.5",
    "a text that is null": "null",
    "a text that is an object": '{"a":1}',
    "a text inside": { s: "[1,2]" },
    "every kind of double": {
      a: 1e21,
      b: 1e-7,
      c: 5e-324,
      d: 1.7976931348623157e308,
      e: 100,
      f: 1.0,
      g: 0.1 + 0.2,
      h: 2 ** 53 + 2,
    },
    "what jsonb refuses": { nul: "a\u0000b", half: "x\ud83d", whole: "😀" },
    "keys in an order of their own": { z: 1, a: 2, "10": 3, "2": 4 },
  };

  it.each(Object.keys(values))(
    "%s comes back as it was, with any type parsers of the host",
    async (name) => {
      const value = values[name] as RunResult["values"];
      const raw = (text: string | Buffer): string => String(text);
      const unparsed = new pg.Pool({
        connectionString: database.url,
        types: { getTypeParser: () => raw } as unknown as pg.CustomTypesConfig,
      });
      const runId = await newRun();
      try {
        await resultMethods(postgresDriver({ pool })).recordResult(runId, {
          values: value,
          reply: "true",
        });
        for (const reader of [pool, unparsed]) {
          const result = await resultMethods(postgresDriver({ pool: reader })).getResult(runId);
          expectIdentical(result, { values: value, reply: "true" });
        }
        const { rows } = await pool.query<{ text: string }>(
          "SELECT result_values AS text FROM runs WHERE run_id = $1",
          [runId],
        );
        expectIdentical(JSON.parse(rows[0]?.text ?? ""), value);
      } finally {
        await unparsed.end();
      }
    },
  );

  it("a result of sixty megabytes comes back whole", async () => {
    const runId = await newRun();
    const values = {
      parts: Array.from({ length: 60 }, (_, part) => String(part % 10).repeat(1_000_000)),
    };
    const runs = resultMethods(postgresDriver({ pool }));
    await runs.recordResult(runId, { values });
    const read = (await runs.getResult(runId))?.values as typeof values;
    expect(read.parts.length).toBe(60);
    expect(read.parts.every((part, index) => part === values.parts[index])).toBe(true);
  });
});

describe("an import", () => {
  /** Few of these are more than one statement takes, and three of them are too large for a list. */
  const TEXT = "x".repeat(3_000_000);

  it("of any length is taken in lists that are far from what one text can hold, as a whole", async () => {
    const results: [string, RunResult][] = [];
    for (const index of [0, 1, 2, 3, 4]) {
      const text = index === 1 ? TEXT.repeat(3) : TEXT;
      results.push([await newRun(), { values: { index, text }, reply: index }]);
    }
    const entries = mergeResults({ results });
    const lists: number[] = [];
    const sizeOf = (parameter: unknown) =>
      Array.isArray(parameter)
        ? parameter.reduce<number>((size, text) => size + String(text).length, 0)
        : 0;
    const client = await pool.connect();
    const transaction: PostgresQueryable = {
      query: (sql, parameters = []) => {
        lists.push(Math.max(...parameters.map(sizeOf)));
        return client.query(sql, parameters);
      },
    };
    const runs = resultMethods(postgresDriver({ pool }));
    const first = results[3]?.[0] ?? "";
    await runs.recordResult(first, { values: { first: true } });

    await client.query("BEGIN");
    await runs.attachResults(entries, transaction);
    expect((await runs.exportResults(results.map(([runId]) => runId))).length).toBe(1);
    await client.query("COMMIT");
    client.release();
    // Again, in a transaction of its own, and it changes nothing.
    await runs.attachResults(entries);

    expect(Math.max(...lists)).toBeLessThan(5_000_000);
    for (const [runId, result] of results) {
      const kept = runId === first ? { values: { first: true } } : result;
      expectIdentical(await runs.getResult(runId), kept);
    }
  });

  it("of much text that fails on the way leaves nothing, and no client of the pool is lost", async () => {
    const runIds = [await newRun(), await newRun(), await newRun()];
    const entries = mergeResults({ results: runIds.map((runId) => [runId, { values: { TEXT } }]) });
    await pool.query(
      "ALTER TABLE runs ADD CONSTRAINT refused CHECK (run_id <> '" +
        `${runIds[2] ?? ""}' OR result_values IS NULL)`,
    );
    const runs = resultMethods(postgresDriver({ pool }));

    await expect(runs.attachResults(entries)).rejects.toMatchObject({
      code: "driver_failed",
      cause: { code: "23514" },
    });

    await pool.query("ALTER TABLE runs DROP CONSTRAINT refused");
    for (const runId of runIds) expect(await runs.getResult(runId)).toBeNull();
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it("of the same runs in opposite orders, in several statements, is not locked out by another", async () => {
    for (let round = 0; round < 5; round += 1) {
      const runIds = [await newRun(), await newRun(), await newRun()];
      const entries = mergeResults({
        results: runIds.map((runId) => [runId, { values: { TEXT } }]),
      });
      await Promise.all(
        [pool, other].map((one, place) =>
          resultMethods(postgresDriver({ pool: one })).attachResults(
            place === 0 ? entries : entries.toReversed(),
          ),
        ),
      );
      const runs = resultMethods(postgresDriver({ pool }));
      for (const runId of runIds) expect(await runs.getResult(runId)).toEqual({ values: { TEXT } });
    }
  });
});

describe("two pools", () => {
  it("twenty writers at once: one wins, and each then reads the winner", async () => {
    const both = [pool, other].map((one) => resultMethods(postgresDriver({ pool: one })));
    for (let round = 0; round < 25; round += 1) {
      const runId = await newRun();
      const read = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const runs = both[index % 2];
          await runs?.recordResult(runId, { values: { index } });
          return runs?.getResult(runId);
        }),
      );
      expect(read[0]).not.toBeNull();
      for (const result of read) expect(result).toEqual(read[0]);
    }
  });
});

describe("a pooler in transaction mode", () => {
  it("carries every primitive: no named statement, no setting, no lock that outlives its transaction", async () => {
    const clients = [new pg.Client(database.url), new pg.Client(database.url)];
    for (const client of clients) await client.connect();
    const statements: unknown[] = [];
    let turn = 0;
    /** Between transactions every statement may go to another connection. */
    const pooled: PostgresQueryable = {
      query: (sql, parameters) => {
        statements.push(sql);
        turn += 1;
        const client = clients[turn % clients.length] as pg.Client;
        return client.query(sql, parameters);
      },
    };
    const connect = () => {
      const client = clients[(turn += 1) % clients.length] as pg.Client;
      return Promise.resolve({
        query: (sql: string, parameters?: unknown[]) => {
          statements.push(sql);
          return client.query(sql, parameters);
        },
        release: () => undefined,
        on: (event: "error", listener: (error: Error) => void) => client.on(event, listener),
        off: (event: "error", listener: (error: Error) => void) => client.off(event, listener),
      });
    };
    const driver = postgresDriver({
      pool: { ...pooled, connect },
      deliver: () => Promise.resolve(),
    });
    const runs = resultMethods(driver);
    const [a, b, c] = [await newRun(), await newRun(), await newRun()];
    await runs.recordResult(a, { values: { a: 1 } });
    expect(await runs.getResult(a)).toEqual({ values: { a: 1 } });
    await runs.settleRun(b, { status: "success", result: { values: { b: 1 } }, delivery: {} });
    expect(await runs.cancelRun(b)).toEqual({ status: "success", won: false });
    await runs.copyResults({ sourceThread: "s", targetThread: "t", runs: [{ from: a, to: c }] });
    expect(await runs.exportResults([a, b, c])).toHaveLength(3);

    for (const sql of statements) {
      expect(typeof sql).toBe("string");
      expect(sql).not.toMatch(/^\s*(SET|PREPARE|LISTEN|LOCK)\b|advisory/i);
    }
    for (const client of clients) {
      const { rows } = await client.query("SELECT * FROM pg_prepared_statements");
      expect(rows).toEqual([]);
      await client.end();
    }
  });
});

describe("prepared statements", () => {
  const named = async (on: pg.Pool): Promise<string[]> => {
    const { rows } = await on.query<{ statement: string }>(
      "SELECT statement FROM pg_prepared_statements",
    );
    return rows.map(({ statement }) => statement);
  };
  let single: pg.Pool;
  beforeAll(() => {
    single = new pg.Pool({ connectionString: database.url, max: 1 });
  });
  afterAll(() => single.end());

  it("are kept for what is asked of one run, and used again", async () => {
    const runs = resultMethods(postgresDriver({ pool: single, prepare: true }));
    const [first, second] = [await newRun(), await newRun()];

    await runs.recordResult(first, { values: { of: "first" } });
    const before = await named(single);
    await runs.recordResult(second, { values: { of: "second" } });

    expect(before).toHaveLength(1);
    expect(await named(single)).toEqual(before);
    expect(await runs.getResult(first)).toEqual({ values: { of: "first" } });
    expect(await runs.getResult(second)).toEqual({ values: { of: "second" } });
    expect(await named(single)).toHaveLength(2);
  });

  it("of drivers over several tables do not take one for the other", async () => {
    await pool.query("CREATE TABLE other_runs (LIKE runs INCLUDING ALL)");
    const runId = await newRun();
    await pool.query("INSERT INTO other_runs (run_id, status) VALUES ($1, 'running')", [runId]);
    const drivers = ["runs", "other_runs"].map((table) =>
      resultMethods(postgresDriver({ pool: single, prepare: true, table })),
    );

    for (const [index, runs] of drivers.entries())
      await runs.recordResult(runId, { values: { index } });

    for (const [index, runs] of drivers.entries()) {
      expect(await runs.getResult(runId)).toEqual({ values: { index } });
    }
  });

  it("outlive a change of the table, and of the plan after many executions", async () => {
    const runs = resultMethods(postgresDriver({ pool: single, prepare: true }));
    const runId = await newRun();
    await runs.recordResult(runId, { values: { is: "kept" } });
    for (let time = 0; time < 10; time++) await runs.getResult(runId);

    await pool.query("ALTER TABLE runs ADD COLUMN new_of_host text DEFAULT 'x'");
    await pool.query("CREATE INDEX runs_new_of_host ON runs (new_of_host)");

    expect(await runs.getResult(runId)).toEqual({ values: { is: "kept" } });
    await pool.query("ALTER TABLE runs DROP COLUMN new_of_host");
    expect(await runs.getResult(runId)).toEqual({ values: { is: "kept" } });
  });

  it("do not plan a list once for all its values", async () => {
    const own = await freshDatabase(server.url);
    const store = await openPostgresStore({ url: own.url, prepare: false });
    const one = new pg.Pool({ connectionString: own.url, max: 1 });
    const runs = resultMethods(postgresDriver({ pool: one, prepare: true }));

    const page = { limit: 10, answers: false, count: true };
    await runs.taskPage({ ...page, thread: "a" });
    expect(await named(one)).toEqual([]);
    await runs.taskPage({ ...page, task: "a", count: false });
    expect(await named(one)).toHaveLength(1);

    await one.end();
    await store.close();
    await own.drop();
  });
});
