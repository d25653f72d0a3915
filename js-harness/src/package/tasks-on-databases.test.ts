// What a database adds to tasks: inserts that are still at work when `create` returns, transactions that
// see an older moment, and collations.

import Database from "better-sqlite3";
import { markRun, resultMethods, type ResultMethods, type TaskMethods } from "skein-results";
import type { OpenStore, StoreUnderTest } from "skein-results/conformance";
import { sqliteDriver, sqliteMigrations, sqliteTaskMigrations } from "skein-results/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openMemoryDriver } from "../conformance/testing/memory-store.js";
import { createTables, openPostgresDriver } from "../conformance/testing/postgres-store.js";
import { sentenceOf } from "../conformance/testing/sentence-of.js";
import { openSqliteDriver } from "../conformance/testing/sqlite-store.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

const PAUSED = { runId: "paused", threadId: "t", status: "interrupted", kwargs: {} } as const;
const NEXT = { runId: "next", threadId: "t", status: "pending", kwargs: {} } as const;

const methodsOf = ({ runs }: StoreUnderTest) => runs as ResultMethods & TaskMethods;

describe.each<[name: string, open: OpenStore]>([
  ["memory", () => openMemoryDriver()],
  ["SQLite", () => openSqliteDriver()],
])("an answer on %s", (_name, open) => {
  it("is refused where `create` returns a promise, and what it inserted is gone", async () => {
    const store = await open();
    await store.createThread("t");
    await store.createRun(PAUSED);

    const answer = methodsOf(store).admitResume("paused", () =>
      Promise.resolve(store.createRunIn?.(undefined, NEXT)),
    );

    await expect(answer).rejects.toMatchObject({
      code: "driver_failed",
      cause: { code: "invalid_argument" },
    });
    expect(await store.getRun("next")).toBeNull();
    await store.close();
  });

  it("is refused where `create` returns a promise that fails, which nobody else hears of", async () => {
    const store = await open();
    await store.createThread("t");
    await store.createRun(PAUSED);
    const own = new Error("The host's own.");

    await expect(methodsOf(store).admitResume("paused", () => Promise.reject(own))).rejects.toBe(
      own,
    );
    await store.close();
  });
});

describe("runs of one turn", () => {
  it.each([
    ["numbers of more digits than a double has", ["9007199254740992", "9007199254740993"]],
    ["numbers of different lengths", ["9", "10"]],
    ["texts that grow", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW"]],
  ])("are in the order of a column that has %s", async (_name, [before, after]) => {
    const database = new Database(":memory:");
    database.exec(`CREATE TABLE runs (run_id text PRIMARY KEY, thread_id text, status text, error text,
      updated_at text, seq, kwargs text, metadata text)`);
    for (const { up } of [...sqliteMigrations, ...sqliteTaskMigrations]) database.exec(up);
    const insert = database.prepare(
      "INSERT INTO runs (run_id, thread_id, status, updated_at, seq, kwargs) VALUES (?, 't', 'interrupted', ?, ?, ?)",
    );
    // The row that was created last is stored first.
    for (const [runId, seq, turn] of [
      ["first", "1", 0],
      ["later", after, 1],
      ["earlier", before, 1],
    ] as const) {
      const place = /^\d+$/.test(String(seq)) ? BigInt(String(seq)) : seq;
      const kwargs = markRun({}, { root: "first", turn, message: null });
      insert.run(runId, new Date(0).toISOString(), place, JSON.stringify(kwargs));
    }
    const runs = resultMethods(sqliteDriver({ database })) as TaskMethods;

    const { tasks } = await runs.taskPage({ task: "first", limit: 1, answers: true, count: false });

    expect(tasks.map(({ run }) => run)).toEqual(["later"]);
    database.close();
  });
});

describe("on a Postgres server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const keeps = async (names: readonly string[], database: FreshDatabase, url = database.url) => {
    await createTables({ url });
    try {
      for (const name of names) {
        expect(await sentenceOf(name, () => openPostgresDriver({ url }))).toBeNull();
      }
    } finally {
      await database.drop();
    }
  };

  it("one answer is admitted, also where transactions see but the moment that they began at", async () => {
    const database = await freshDatabase(server.url);
    const url = new URL(database.url);
    url.searchParams.set("options", "-c default_transaction_isolation=repeatable\\ read");
    await keeps(
      [
        "of many answers to a paused run at the same time one is admitted",
        "of many answers to a paused run over two connections one is admitted",
      ],
      database,
      url.href,
    );
  });

  it("tasks of one instant are in the order of their bytes, whatever the language is", async () => {
    const language = "'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
    await keeps(
      [
        "tasks of one instant come in the order of their runs' ids, from the last on",
        "a page leads on behind any task, those of one instant included",
      ],
      await freshDatabase(server.url, language),
    );
  });
});
