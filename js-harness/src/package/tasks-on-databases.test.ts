// What a database adds to tasks: inserts that are still at work when `create` returns, transactions that
// see an older moment, and collations.

import { type ResultMethods, type TaskMethods } from "skein-results";
import type { OpenStore, StoreUnderTest } from "skein-results/conformance";
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
