// Stores for tests: an empty one of each kind, with a second way to its rows, so that a test counts
// what is really there and not what the store says.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";

import { pooledDatabase } from "../../testing/pooled-database.js";
import {
  freshDatabase,
  startPostgres,
  type PostgresServer,
} from "../../testing/postgres-server.js";
import { openMemoryStore } from "../memory.js";
import { openPostgresStore, type PostgresStore } from "../postgres.js";
import { openSqliteStore } from "../sqlite.js";
import { completeStore, type CompleteStore } from "../store-suite/fixtures.js";

/** How many rows there are. */
export interface RowCounts {
  threads: number;
  runs: number;
  results: number;
}

/** A store that is open, and empty at first. */
export interface StorePlace {
  store: CompleteStore;
  /** Counts through a connection of its own. */
  count(): Promise<RowCounts>;
  close(): Promise<void>;
}

export interface StoreKind {
  name: string;
  open(): Promise<StorePlace>;
}

/** A store whose rows can be changed behind its back. */
export interface SqlStorePlace extends StorePlace {
  /** Breaks the stored checkpoint of a run's result, so that no copy of it can be made. */
  damage(runId: string): Promise<void>;
}

export interface SqlStoreKind extends StoreKind {
  open(): Promise<SqlStorePlace>;
}

const COUNTS = `SELECT (SELECT count(*) FROM threads) AS threads,
  (SELECT count(*) FROM runs) AS runs,
  (SELECT count(*) FROM runs WHERE result_values IS NOT NULL OR result_interrupts IS NOT NULL
     OR result_reply IS NOT NULL OR result_checkpoint IS NOT NULL) AS results`;
const DAMAGED = "'no checkpoint'";

const memory: StoreKind = {
  name: "memory",
  open: () => {
    const { store, close } = openMemoryStore();
    return Promise.resolve({
      store: completeStore(store),
      count: async () => {
        const { threads, runs, results } = await store.snapshot();
        return { threads: threads.length, runs: runs.length, results: results?.length ?? 0 };
      },
      close,
    });
  },
};

/** @param foreignKeys off, as on a connection that a host opened without the pragma */
const sqlite = (name: string, foreignKeys: "ON" | "OFF"): SqlStoreKind => ({
  name,
  async open() {
    const folder = await mkdtemp(join(tmpdir(), "skein-store-"));
    const path = join(folder, "agent.db");
    const { store, database, close } = await openSqliteStore({ path });
    database.pragma(`foreign_keys = ${foreignKeys}`);
    const other = new BetterSqlite3(path);
    return {
      store: completeStore(store),
      count: () => Promise.resolve(other.prepare<[], RowCounts>(COUNTS).get() ?? NONE),
      damage: (runId) => {
        const damage = `UPDATE runs SET result_checkpoint = ${DAMAGED} WHERE run_id = ?`;
        other.prepare(damage).run(runId);
        return Promise.resolve();
      },
      close: async () => {
        other.close();
        await close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
});

/** One for all tests of a process, with which it ends. */
let postgresServer: Promise<PostgresServer> | undefined;

const postgres: SqlStoreKind = {
  name: "Postgres",
  async open() {
    const server = await (postgresServer ??= startPostgres());
    const database = await freshDatabase(server.url);
    const opened = await openPostgresStore({ url: database.url });
    return postgresPlace(database.url, opened, () => database.drop());
  },
};

/** For what must hold there, too: it is no kind of its own to most tests. */
export const postgresBehindPooler: SqlStoreKind = {
  name: "Postgres behind a pooler",
  async open() {
    const server = await (postgresServer ??= startPostgres());
    const database = await pooledDatabase(server.url);
    const { url, poolerUrl } = database;
    await (await openPostgresStore({ url })).close();
    const opened = await openPostgresStore({ url: poolerUrl, migrate: false, prepare: false });
    return postgresPlace(url, opened, async () => {
      await database.requireNothingLeft();
      await database.drop();
    });
  },
};

/** @param remove called last */
async function postgresPlace(
  url: string,
  { store, close }: PostgresStore,
  remove: () => Promise<void>,
): Promise<SqlStorePlace> {
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  return {
    store: completeStore(store),
    count: async () => {
      const { rows } = await other.query<Record<keyof RowCounts, string>>(COUNTS);
      return {
        threads: Number(rows[0]?.threads),
        runs: Number(rows[0]?.runs),
        results: Number(rows[0]?.results),
      };
    },
    damage: async (runId) => {
      const damage = `UPDATE runs SET result_checkpoint = ${DAMAGED} WHERE run_id = $1`;
      await other.query(damage, [runId]);
    },
    close: async () => {
      await other.end();
      await close();
      await remove();
    },
  };
}

const NONE: RowCounts = { threads: 0, runs: 0, results: 0 };

export const sqlStoreKinds: readonly SqlStoreKind[] = [
  sqlite("an SQLite file", "ON"),
  sqlite("an SQLite file without foreign keys", "OFF"),
  postgres,
];

export const storeKinds: readonly StoreKind[] = [memory, ...sqlStoreKinds];
