// A database behind a pooler in transaction mode, and the look at what was left of a session there:
// whoever has a connection next would meet it.

import pg from "pg";
import { expect } from "vitest";

import { freshDatabase } from "./postgres-server.js";
import { transactionPooler } from "./transaction-pooler.js";

/** Few, so that connections change hands. */
const SIZE = 3;

export interface PooledDatabase {
  /** Leads to the server itself. */
  url: string;
  /** Leads to the same database through the pooler. */
  poolerUrl: string;
  /** How often a connection was given to a client other than the one that had it before. */
  readonly handovers: number;
  /** Fails for anything of a session on any connection, and for a named statement at any time. */
  requireNothingLeft(): Promise<void>;
  drop(): Promise<void>;
}

/** An empty database of the server, with a pooler before it. */
export async function pooledDatabase(serverUrl: string): Promise<PooledDatabase> {
  const database = await freshDatabase(serverUrl);
  const pooler = await transactionPooler(database.url, SIZE);
  return {
    url: database.url,
    poolerUrl: pooler.url,
    get handovers() {
      return pooler.handovers;
    },
    requireNothingLeft: async () => {
      expect(pooler.namedStatements).toEqual([]);
      await requireNothingOnConnections(pooler.url);
    },
    drop: async () => {
      await pooler.close();
      await database.drop();
    },
  };
}

/** What a transaction sets of its own ends with it; only that it was set once is remembered. */
const LEFT = `SELECT pg_backend_pid() AS pid,
  (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
  (SELECT string_agg(name, ', ') FROM pg_settings
    WHERE source = 'session' AND name NOT LIKE 'transaction\\_%') AS settings,
  (SELECT count(*)::int FROM pg_locks
    WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
  (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
  (SELECT count(*)::int FROM pg_cursors) AS cursors,
  pg_my_temp_schema()::int AS "temporary schema"`;

const NOTHING = {
  statements: 0,
  settings: null,
  locks: 0,
  channels: 0,
  cursors: 0,
  "temporary schema": 0,
};

async function requireNothingOnConnections(poolerUrl: string): Promise<void> {
  const clients = Array.from({ length: SIZE }, () => new pg.Client(poolerUrl));
  const pids = new Set<number>();
  // All in a transaction at the same time, so that each has a connection of its own.
  for (const client of clients) {
    await client.connect();
    await client.query("BEGIN");
    const { rows } = await client.query<{ pid: number }>(LEFT);
    for (const { pid, ...left } of rows) {
      expect(left).toEqual(NOTHING);
      pids.add(pid);
    }
  }
  expect(pids.size).toBe(SIZE);
  for (const client of clients) {
    await client.query("COMMIT");
    await client.end();
  }
}
