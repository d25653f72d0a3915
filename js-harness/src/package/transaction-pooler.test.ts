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
import { pooledDatabase, type PooledDatabase } from "../testing/pooled-database.js";
import { startPostgres, type PostgresServer } from "../testing/postgres-server.js";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe("the driver behind a pooler", () => {
  let database: PooledDatabase;
  beforeAll(async () => {
    database = await pooledDatabase(server.url);
    await createTables({ url: database.url });
  });
  afterAll(() => database.drop());

  describeConformance("the Postgres driver", () => openPostgresDriver({ url: database.poolerUrl }));

  it("has left nothing on any connection, and they did change hands", async () => {
    expect(database.handovers).toBeGreaterThan(100);
    await database.requireNothingLeft();
  });
});

describe("an import of several statements behind a pooler", () => {
  /** More than one statement takes of these, and three times that is too large for a list. */
  const TEXT = "x".repeat(2_500_000);

  let database: PooledDatabase;
  let direct: PostgresStore;
  let store: PostgresStore;
  let other: pg.Pool;
  beforeEach(async () => {
    database = await pooledDatabase(server.url);
    direct = await openPostgresStore({ url: database.url });
    store = await openPostgresStore({ url: database.poolerUrl, migrate: false, prepare: false });
    other = new pg.Pool({ connectionString: database.poolerUrl, max: 4 });
    other.on("error", () => undefined);
  });
  afterEach(async () => {
    await database.requireNothingLeft();
    await other.end();
    await store.close();
    await direct.close();
    await database.drop();
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
    expect(database.handovers).toBeGreaterThan(10);
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
