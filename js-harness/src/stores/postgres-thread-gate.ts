// One executor per thread across processes, as a session lock of Postgres. A lock with a time limit
// would have to be renewed while a run executes, and a late renewal lets a second run in; a session
// lock lasts as long as its connection, so a process that dies frees its threads at once.

import { createHash } from "node:crypto";

import type { Pool, PoolClient } from "pg";

import type { ThreadExecutionGate } from "./contract.js";
import { openPool, takeClient, type PoolOptions } from "./postgres/connection.js";

/** A gate with connections of its own. */
export interface PostgresThreadGate {
  gate: ThreadExecutionGate;
  close: () => Promise<void>;
}

/** Opens a gate on a database. `max` is how many runs this process executes at the same time. */
export function openPostgresThreadGate({
  url,
  ...options
}: PoolOptions & { url: string }): PostgresThreadGate {
  const pool = openPool(url, options);
  return { gate: postgresThreadGate(pool), close: () => pool.end() };
}

/**
 * A gate over a pool that nothing else uses, and that leads to the server itself: each lease holds one
 * of its connections until it is released, and so does each one that waits for a thread.
 *
 * @example
 * ```ts
 * const lease = await gate.acquire(threadId);
 * try {
 *   await execute(run);
 * } finally {
 *   await lease.release();
 * }
 * ```
 */
export function postgresThreadGate(pool: Pool): ThreadExecutionGate {
  /** Connections that wait for as long as the other run executes. Nothing else uses them, so that stays. */
  const patient = new WeakSet<PoolClient>();
  return {
    acquire: async (threadId) => {
      const key = threadLockKey(threadId);
      const { client, isConnected, giveBack } = await takeClient(pool);
      try {
        if (!patient.has(client)) await client.query("SET statement_timeout = 0");
        patient.add(client);
        await client.query("SELECT pg_advisory_lock($1)", [key]);
      } catch (error) {
        // It is not known whether the lock was taken; the end of the session frees it.
        giveBack("destroy");
        throw error;
      }

      let released = false;
      return {
        release: async () => {
          if (released) return;
          released = true;
          try {
            // A connection that ended while the run executed has freed the lock already.
            if (isConnected()) await client.query("SELECT pg_advisory_unlock($1)", [key]);
            giveBack("reuse");
          } catch {
            giveBack("destroy");
          }
        },
      };
    },
  };
}

/**
 * The lock's 64-bit key. Two threads that share one wait for each other without need, and no more
 * than that.
 */
export function threadLockKey(threadId: string): string {
  return createHash("sha256").update(threadId).digest().readBigInt64BE(0).toString();
}
