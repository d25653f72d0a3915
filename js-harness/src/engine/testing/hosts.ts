// Hosts for tests: one of each kind, opened and reopened in the same way.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import BetterSqlite3 from "better-sqlite3";
import pg from "pg";

import {
  openMemoryHost,
  openPostgresHost,
  openSqliteHost,
  type Host,
  type HostSettings,
} from "../../host.js";
import { pooledDatabase } from "../../testing/pooled-database.js";
import {
  freshDatabase,
  startPostgres,
  type PostgresServer,
} from "../../testing/postgres-server.js";

/** A place where a host keeps its data. */
export interface HostPlace {
  open(settings?: HostSettings): Promise<Host>;
  /** Has a database do what no host would: a statement over a connection of its own. */
  execute?(sql: string): Promise<void>;
  remove(): Promise<void>;
}

export interface HostKind {
  name: string;
  /** Whether a host that is opened again finds what was there. */
  durable: boolean;
  prepare(): Promise<HostPlace>;
}

/** Failures that a test asks for are no news on the console. */
const QUIET: HostSettings = { log: () => {}, shutdownGraceMs: 100 };

export const memory: HostKind = {
  name: "memory",
  durable: false,
  prepare: () =>
    Promise.resolve({
      open: (settings) => openMemoryHost({ ...QUIET, ...settings }),
      remove: () => Promise.resolve(),
    }),
};

export const sqlite: HostKind = {
  name: "an SQLite file",
  durable: true,
  async prepare() {
    const directory = await mkdtemp(join(tmpdir(), "skein-host-"));
    const path = join(directory, "agent.db");
    return {
      open: (settings) => openSqliteHost({ ...QUIET, ...settings, path }),
      execute: (sql) => {
        const database = new BetterSqlite3(path);
        database.exec(sql);
        database.close();
        return Promise.resolve();
      },
      remove: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

/** One for all tests of a process, with which it ends. */
let postgresServer: Promise<PostgresServer> | undefined;

export const postgres: HostKind = {
  name: "Postgres",
  durable: true,
  async prepare() {
    const server = await (postgresServer ??= startPostgres());
    const database = await freshDatabase(server.url);
    return {
      open: (settings) => openPostgresHost({ ...QUIET, ...settings, url: database.url }),
      execute: async (sql) => {
        const client = new pg.Client(database.url);
        await client.connect();
        await client.query(sql);
        await client.end();
      },
      remove: () => database.drop(),
    };
  },
};

/** For what must hold there, too: it is no kind of its own to most tests. */
export const postgresBehindPooler: HostKind = {
  name: "Postgres behind a pooler",
  durable: true,
  async prepare() {
    const server = await (postgresServer ??= startPostgres());
    const database = await pooledDatabase(server.url);
    const { url, poolerUrl } = database;
    return {
      open: (settings) => openPostgresHost({ ...QUIET, ...settings, url, poolerUrl }),
      remove: async () => {
        await database.requireNothingLeft();
        await database.drop();
      },
    };
  },
};

export const hostKinds: readonly HostKind[] = [memory, sqlite, postgres];
