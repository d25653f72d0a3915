// The reference host's stores, and its scoped wrapper around one.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { StoreUnderTest } from "skein-results/conformance";
import { afterAll, beforeAll, describe } from "vitest";

import { scopedStore } from "../auth/scoped-store.js";
import { openMemoryStore } from "../stores/memory.js";
import { openPostgresStore } from "../stores/postgres.js";
import { openSqliteStore } from "../stores/sqlite.js";
import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { describeConformance } from "./testing/describe-conformance.js";
import { underTest } from "./testing/skein-store.js";

describeConformance("the memory store", () => underTest(openMemoryStore()), [
  "createRunIn",
  "connect",
  "reopen",
  "transaction",
]);

describeConformance(
  "the memory store as one caller may use it",
  () => {
    const { store, close } = openMemoryStore();
    const caller = { tenant: "acme", user: "ann", access: "write" } as const;
    return underTest({ store: scopedStore(store, caller), close });
  },
  [
    ...["connect", "reopen", "transaction", "attachResults", "copyResults"],
    ...["admitResume", "createRunIn"],
  ],
);

describeConformance(
  "the SQLite store",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "skein-conformance-"));
    return openFile(join(folder, "agent.db"), () => rm(folder, { recursive: true }));
  },
  ["createRunIn"],
);

/** @param removed what becomes of the file in the end; a second connection leaves it */
async function openFile(path: string, removed: () => Promise<void>): Promise<StoreUnderTest> {
  const { store, database, close } = await openSqliteStore({ path });
  // Power may fail, and these tests do not.
  database.pragma("synchronous = OFF");
  return underTest({
    store,
    transaction: async (work) => {
      database.exec("BEGIN IMMEDIATE");
      try {
        await work();
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    connect: () => openFile(path, async () => {}),
    reopen: async () => {
      await close();
      return openFile(path, removed);
    },
    close: async () => {
      await close();
      await removed();
    },
  });
}

describe("on a Postgres server", () => {
  let server: PostgresServer;
  let database: FreshDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await freshDatabase(server.url);
  });
  afterAll(async () => {
    await database.drop();
    await server.stop();
  });

  const open = async (): Promise<StoreUnderTest> => {
    const { store, close } = await openPostgresStore({ url: database.url });
    return underTest({
      store,
      connect: open,
      reopen: async () => {
        await close();
        return open();
      },
      close,
    });
  };
  // Its own imports and copies are transactions of the store, and tested with it.
  describeConformance("the Postgres store", open, ["transaction", "createRunIn"]);
});
