// A pooler in transaction mode (case P-05): the whole contract holds behind it, an import of several
// statements among it, and nothing of a session is asked for or left.

import { randomUUID } from "node:crypto";

import pg from "pg";
import { mergeResults, resultMethods, type ResultMethods, type RunResult } from "skein-results";
import { postgresDriver, type PostgresQueryable } from "skein-results/postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { describeConformance } from "../conformance/testing/describe-conformance.js";
import { createTables, openPostgresDriver } from "../conformance/testing/postgres-store.js";
import { openPostgresStore, type PostgresStore } from "../stores/postgres.js";
import { completeStore, newRun } from "../stores/store-suite/fixtures.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";
import { transactionPooler, type TransactionPooler } from "../testing/transaction-pooler.js";

const SIZE = 3;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** An empty database, and the way to it through a pooler. */
interface Pooled {
  database: FreshDatabase;
  pooler: TransactionPooler;
}

async function pooled(): Promise<Pooled> {
  const database = await freshDatabase(server.url);
  return { database, pooler: await transactionPooler(database.url, SIZE) };
}

/** What every connection behind the pooler still holds of those who had it. */
async function requireClean({ database, pooler }: Pooled): Promise<void> {
  expect(pooler.namedStatements).toEqual([]);
  const clients = Array.from({ length: SIZE }, () => new pg.Client(pooler.url));
  const pids = new Set<number>();
  // All at the same time, so that each has a connection of its own.
  for (const client of clients) {
    await client.connect();
    await client.query("BEGIN");
    const { rows } = await client.query<{ pid: number; statements: string; settings: string }>(
      `SELECT pg_backend_pid() AS pid, (SELECT count(*) FROM pg_prepared_statements) AS statements,
         (SELECT string_agg(name, ',') FROM pg_settings WHERE source = 'session') AS settings`,
    );
    expect(rows).toMatchObject([{ statements: "0", settings: null }]);
    pids.add(Number(rows[0]?.pid));
  }
  expect(pids.size).toBe(SIZE);
  for (const client of clients) {
    await client.query("COMMIT");
    await client.end();
  }
  const direct = new pg.Client(database.url);
  await direct.connect();
  const { rows } = await direct.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  expect(rows).toEqual([]);
  await direct.end();
}

describe("behind a pooler", () => {
  const places: Pooled[] = [];
  afterAll(async () => {
    for (const { pooler, database } of places) {
      await pooler.close();
      await database.drop();
    }
  });

  describe("the driver", () => {
    let place: Pooled;
    beforeAll(async () => {
      places.push((place = await pooled()));
      await createTables({ url: place.database.url });
    });
    describeConformance("the Postgres driver", () => openPostgresDriver({ url: place.pooler.url }));

    it("has left nothing on any connection, and they did change hands", async () => {
      expect(place.pooler.handovers).toBeGreaterThan(100);
      await requireClean(place);
    });
  });
});

describe("an import of several statements behind a pooler", () => {
  /** More than one statement takes of these, and three times that is too large for a list. */
  const TEXT = "x".repeat(2_500_000);

  let place: Pooled;
  let direct: PostgresStore;
  let store: PostgresStore;
  let other: pg.Pool;
  beforeEach(async () => {
    place = await pooled();
    direct = await openPostgresStore({ url: place.database.url });
    store = await openPostgresStore({ url: place.pooler.url, migrate: false });
    other = new pg.Pool({ connectionString: place.pooler.url, max: 4 });
    other.on("error", () => undefined);
  });
  afterEach(async () => {
    await requireClean(place);
    await other.end();
    await store.close();
    await direct.close();
    await place.pooler.close();
    await place.database.drop();
  });

  const runsOver = (pool: pg.Pool): ResultMethods => resultMethods(postgresDriver({ pool }));

  const large = async (count: number): Promise<[string, RunResult][]> => {
    const results: [string, RunResult][] = [];
    for (let index = 0; index < count; index += 1) {
      const text = index === 1 ? TEXT.repeat(3) : TEXT;
      const { run_id } = await newRun(direct.store, { status: "success" });
      results.push([run_id, { values: { index, text } }]);
    }
    return results;
  };

  const requireKept = async (results: readonly [string, RunResult | null][]): Promise<void> => {
    for (const [runId, result] of results) {
      expect((await completeStore(direct.store).runs.getResult(runId)) ?? null).toEqual(result);
    }
  };

  it("is one step for those who read and write meanwhile", async () => {
    const results = await large(5);
    const runIds = results.map(([runId]) => runId);
    const runs = runsOver(other);
    let isOver = false;
    const traffic = async (): Promise<void> => {
      while (!isOver) {
        const found = await runs.exportResults(runIds);
        expect([0, results.length]).toContain(found.length);
        const { run_id } = await newRun(store.store);
        await runs.recordResult(run_id, { values: { run_id } });
        expect(await runs.getResult(run_id)).toEqual({ values: { run_id } });
      }
    };
    const busy = [traffic(), traffic()];

    await runsOver(store.pool).attachResults(mergeResults({ results }));
    isOver = true;
    await Promise.all(busy);

    await requireKept(results);
    expect(place.pooler.handovers).toBeGreaterThan(10);
  });

  it("of the same runs in opposite orders ends well for both", async () => {
    const results = await large(3);
    const entries = mergeResults({ results });

    await Promise.all([
      runsOver(other).attachResults(entries),
      runsOver(store.pool).attachResults(entries.toReversed()),
    ]);

    await requireKept(results);
  });

  it("that the server refuses on the way leaves nothing, and no connection in a transaction", async () => {
    const results = await large(3);
    await direct.pool.query(
      `ALTER TABLE runs ADD CONSTRAINT refused
         CHECK (run_id <> '${results[2]?.[0] ?? ""}' OR result_values IS NULL)`,
    );

    await expect(
      runsOver(store.pool).attachResults(mergeResults({ results })),
    ).rejects.toMatchObject({ code: "driver_failed", cause: { code: "23514" } });

    await requireKept(results.map(([runId]) => [runId, null]));
  });

  it("whose client is cut off on the way leaves nothing, and can be made again", async () => {
    const results = await large(3);
    const entries = mergeResults({ results });
    let statements = 0;
    const cutOff = {
      query: (sql: string, parameters?: unknown[]) => other.query(sql, parameters),
      connect: async () => {
        const client = await other.connect();
        const query: PostgresQueryable["query"] = async (sql, parameters) => {
          const answer = await client.query(sql, parameters);
          statements += 1;
          // BEGIN, the locks, the first batch: the others are still to come.
          if (statements === 3) {
            const { stream } = (
              client as unknown as { connection: { stream: { destroy: () => void } } }
            ).connection;
            stream.destroy();
          }
          return answer;
        };
        return {
          query,
          release: (destroy?: boolean) => client.release(destroy),
          on: (event: "error", listener: (error: Error) => void) => client.on(event, listener),
          off: (event: "error", listener: (error: Error) => void) => client.off(event, listener),
        };
      },
    };

    await expect(
      resultMethods(postgresDriver({ pool: cutOff })).attachResults(entries),
    ).rejects.toMatchObject({ code: "driver_failed" });

    await requireKept(results.map(([runId]) => [runId, null]));
    await runsOver(other).attachResults(entries);
    await requireKept(results);
  });

  it("is part of the restore of a store, and its results of a copy", async () => {
    const results = await large(3);
    const source = await direct.store.snapshot();
    const threadIds = source.threads.map(([threadId]) => threadId);
    for (const threadId of threadIds) await direct.store.threads.delete(threadId);
    const pooledStore = completeStore(store.store);

    await pooledStore.restore({ ...source, results });
    await pooledStore.restore({
      ...source,
      results: results.map(([id]) => [id, { values: { late: true } }]),
    });

    await requireKept(results);
    for (const threadId of threadIds) {
      const [run] = await pooledStore.runs.listByThread(threadId);
      const copy = await pooledStore.threads.copyWithRuns(threadId, {
        thread_id: randomUUID(),
        run_ids: [String(run?.run_id)],
      });
      const [copied] = await pooledStore.runs.listByThread(copy.thread_id);
      const result = results.find(([runId]) => runId === run?.run_id)?.[1] ?? null;
      await requireKept([[String(copied?.run_id), result]]);
    }
  });
});
