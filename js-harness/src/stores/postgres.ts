// The store in a Postgres database, over a pool of pg.

import type { Pool, PoolClient } from "pg";
import { resultMethods } from "skein-results";
import {
  migratePostgres,
  postgresDriver,
  postgresMigrations,
  postgresTaskMigrations,
} from "skein-results/postgres";

import {
  requireValidMaxPageSize,
  type DeliveryCreate,
  type SnapshotStore,
  type StoreOptions,
} from "./contract.js";
import { postgresHostMigrations } from "./migrations/postgres.generated.js";
import { postgresAssistants } from "./postgres/assistants.js";
import { openPool, requireServer } from "./postgres/connection.js";
import { insertDelivery, postgresDeliveries } from "./postgres/deliveries.js";
import { postgresRuns } from "./postgres/runs.js";
import { postgresSnapshots } from "./postgres/snapshots.js";
import { postgresThreadCopy } from "./postgres/thread-copies.js";
import { postgresThreads } from "./postgres/threads.js";

/** Where a Postgres store lives. */
export type PostgresStoreOptions = StoreOptions & {
  /**
   * Whether to bring the schema up to date. `false` where another process does it, and where the
   * connections lead to a pooler in transaction mode.
   *
   * @defaultValue true
   */
  migrate?: boolean;
  /**
   * Whether statements are planned once for each connection. `false` where the connections lead to a
   * pooler in transaction mode; a pool that was opened elsewhere does what it was made to.
   *
   * @defaultValue true
   */
  prepare?: boolean;
} & (
    | {
        /** A connection string; the store opens a pool of its own and closes it. */
        url: string;
      }
    | {
        /** An open pool, which stays open when the store is closed. */
        pool: Pool;
      }
  );

/** An open Postgres store. */
export interface PostgresStore {
  store: SnapshotStore;
  /** The connections, for a checkpoint saver to share. */
  pool: Pool;
  close: () => Promise<void>;
}

/**
 * Opens a store in a database, bringing its schema up to date: a database written before results
 * existed is upgraded in place. Several processes may open one database at the same time.
 *
 * @throws DatabaseError for a server that cannot be reached; `migration_failed`, `migration_order` and
 * `migration_locked` of the package
 *
 * @example
 * ```ts
 * const { store, pool, close } = await openPostgresStore({ url: "postgres://localhost/agents" });
 * const saver = new PostgresSaver(pool);
 * ```
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const maxPageSize = requireValidMaxPageSize(options.maxPageSize);
  const prepare = options.prepare ?? true;
  const pool = "pool" in options ? options.pool : openPool(options.url, { prepare });
  const close = async (): Promise<void> => {
    if (!("pool" in options)) await pool.end();
  };
  try {
    await requireServer(pool);
    if (options.migrate ?? true) {
      await migratePostgres(pool, [
        postgresHostMigrations,
        postgresMigrations,
        postgresTaskMigrations,
      ]);
    }
    return { store: storeOver(pool, maxPageSize), pool, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function storeOver(pool: Pool, maxPageSize: number): SnapshotStore {
  const results = resultMethods(
    postgresDriver<PoolClient>({
      pool,
      deliver: async (client, runId, delivery, status) => {
        await insertDelivery(client, runId, status, delivery as DeliveryCreate);
      },
    }),
  );
  return {
    assistants: postgresAssistants(pool, maxPageSize),
    threads: {
      ...postgresThreads(pool, maxPageSize),
      ...postgresThreadCopy(pool, results),
    },
    runs: postgresRuns(pool, { maxPageSize, results }),
    deliveries: postgresDeliveries(pool, maxPageSize),
    ...postgresSnapshots(pool, results),
    durable: true,
    maxPageSize,
  };
}
