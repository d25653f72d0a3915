import pg, { type Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { migratePostgres } from "skein-results/postgres";
import { postgresHostMigrations } from "./migrations/postgres.generated.js";
import { openPostgresStore } from "./postgres.js";
import { ASSISTANT_FIELDS, DELIVERY_FIELDS, RUN_FIELDS, THREAD_FIELDS } from "./sql-rows.js";
import { describeStore } from "./store-suite.js";
import { deliveryFor, newRun, completeStore } from "./store-suite/fixtures.js";

const LEDGER = ["0001_init", "0002_thread_ttl", "0001_run_results", "0001_task_index"];

let server: PostgresServer;
const databases: FreshDatabase[] = [];

async function newDatabase(): Promise<string> {
  const database = await freshDatabase(server.url);
  databases.push(database);
  return database.url;
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  await server.stop();
});

describe("Postgres", () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });
  describeStore("Postgres", { open: () => openPostgresStore({ url }), lasting: true });
});

describe("a Postgres store", () => {
  it("refuses an id that exists for a run, and keeps the run that has it", async () => {
    const { store, close } = await openPostgresStore({ url: await newDatabase() });
    const run = await newRun(store, { kwargs: { input: 1 } });

    await expect(newRun(store, { run_id: run.run_id })).rejects.toMatchObject({ status: 409 });

    expect(await store.runs.get(run.run_id)).toEqual(run);
    expect(store.durable).toBe(true);
    await close();
  });

  it("creates one run on an idle thread for two hosts that ask at the same time", async () => {
    const url = await newDatabase();
    const one = await openPostgresStore({ url });
    const other = await openPostgresStore({ url });
    const { thread_id } = await one.store.threads.create();

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : other).store.runs.createIfThreadIdle({
          thread_id,
          assistant_id: "echo",
        }),
      ),
    );

    expect(answers.filter((run) => run !== null)).toHaveLength(1);
    await one.close();
    await other.close();
  });

  it("finalizes a run after a cancellation that is being written, and not over it", async () => {
    const { store, pool, close } = await openPostgresStore({ url: await newDatabase() });
    const { run_id, thread_id } = await newRun(store);
    const cancelling = await pool.connect();
    await cancelling.query("BEGIN");
    await cancelling.query("UPDATE runs SET status = 'cancelled' WHERE run_id = $1", [run_id]);

    const finalizing = completeStore(store).runs.finalizeWithDelivery(run_id, {
      status: "success",
      delivery: deliveryFor(thread_id),
    });
    await waitingForALock(pool);
    await cancelling.query("COMMIT");
    cancelling.release();

    expect(await finalizing).toMatchObject({
      run: { status: "cancelled" },
      delivery: { run_status: "cancelled" },
    });
    expect(await store.runs.get(run_id)).toMatchObject({ status: "cancelled" });
    await close();
  });

  it("works the same whatever parsers, time zone and date style its connections have", async () => {
    const url = await newDatabase();
    const pool = new pg.Pool({
      connectionString: url,
      options: "-c timezone=Asia/Kolkata -c datestyle=German",
      types: { getTypeParser: () => (text: string) => text },
    });
    const { store: odd } = await openPostgresStore({ pool });
    const { store: plain, close } = await openPostgresStore({ url });
    try {
      const run = await newRun(odd, { metadata: { a: [1, { b: null }] } });
      const { run_id, thread_id } = run;
      const { delivery } = await completeStore(odd).runs.finalizeWithDelivery(run_id, {
        status: "success",
        delivery: deliveryFor(thread_id),
      });
      const { assistant_id } = await odd.assistants.create({ graph_id: "echo" });

      for (const store of [odd, plain]) {
        expect(await store.runs.get(run_id)).toEqual({
          ...run,
          status: "success",
          updated_at: expect.any(String) as string,
        });
        expect(await store.deliveries?.get(delivery.delivery_id)).toEqual(delivery);
        expect(await store.assistants.count({})).toBe(1);
      }
      expect(await odd.threads.get(thread_id)).toEqual(await plain.threads.get(thread_id));
      expect(await odd.assistants.get(assistant_id)).toEqual(
        await plain.assistants.get(assistant_id),
      );
    } finally {
      await close();
      await pool.end();
    }
  });

  it("leaves a pool open that it was given", async () => {
    await withPool(await newDatabase(), async (pool) => {
      const { close } = await openPostgresStore({ pool });

      await close();

      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    });
  });

  it("goes on after its connections were ended, and the process with it", async () => {
    const url = await newDatabase();
    const { store, pool, close } = await openPostgresStore({ url });
    const run = await newRun(store);

    await withPool(url, (other) =>
      other.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      ),
    );
    await expect.poll(() => pool.totalCount).toBe(0);

    expect(await store.runs.get(run.run_id)).toEqual(run);
    await close();
  });

  it("reads every column of its tables but those that no row may show", async () => {
    const { pool, close } = await openPostgresStore({ url: await newDatabase() });
    const unread = async (table: string, fields: readonly string[]) =>
      (await columnsOf(pool, table)).filter((name) => !fields.includes(name));

    expect(await unread("assistants", ASSISTANT_FIELDS)).toEqual([]);
    expect(await unread("threads", THREAD_FIELDS)).toEqual(["expires_at"]);
    expect(await unread("deliveries", DELIVERY_FIELDS)).toEqual([]);
    expect(await unread("runs", RUN_FIELDS)).toEqual([
      "seq",
      "kwargs",
      "base_checkpoint",
      "result_values",
      "result_interrupts",
      "result_reply",
      "result_checkpoint",
      "task_root",
      "task_turn",
    ]);
    await close();
  });
});

describe("opening a Postgres database", () => {
  it("says so if the server is down, naming it and not its password", async () => {
    const opening = openPostgresStore({ url: "postgres://somebody:secret@127.0.0.1:1/agents" });

    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "DatabaseError", code: "cannot_connect" });
    expect(String(error)).toMatch(/"agents" at 127\.0\.0\.1:1 .*ECONNREFUSED/);
    expect(String(error)).not.toContain("secret");
  });

  it("says so if the database does not exist", async () => {
    const url = new URL(server.url);
    url.pathname = "/nowhere";

    await expect(openPostgresStore({ url: url.href })).rejects.toMatchObject({
      code: "cannot_connect",
      message: expect.stringContaining('"nowhere"') as string,
    });
  });

  it("migrates once for six that open an empty database at the same time", async () => {
    const url = await newDatabase();

    const opened = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore({ url })));

    for (const { pool, store } of opened) {
      expect(await ledgerOf(pool)).toEqual(LEDGER);
      const run = await newRun(store);
      expect(await store.runs.get(run.run_id)).toEqual(run);
    }
    await Promise.all(opened.map(({ close }) => close()));
  });

  it("upgrades a database from before results existed", async () => {
    const url = await newDatabase();
    const before = await withPool(url, async (pool) => {
      await migratePostgres(pool, [postgresHostMigrations.slice(0, 1)]);
      await insertOldRuns(pool);
      return (await pool.query<object>("SELECT * FROM runs ORDER BY seq")).rows;
    });

    const { store, pool, close } = await openPostgresStore({ url });

    const after = (await pool.query("SELECT * FROM runs ORDER BY seq")).rows;
    expect(after).toEqual(before.map((row) => expect.objectContaining(row) as unknown));
    expect((await store.runs.listByThread("t1")).map(({ run_id }) => run_id)).toEqual([
      "r1",
      "r2",
      "r3",
    ]);
    expect(await completeStore(store).runs.getResult("r1")).toBeNull();
    await completeStore(store).runs.recordResult("r1", { values: { value: 1 } });
    expect(await completeStore(store).runs.getResult("r1")).toEqual({ values: { value: 1 } });
    await close();
  });

  it.each([
    ["half-way", "CREATE TABLE half (id int); SELECT 1 / 0;", /0003_broken.*division by zero/],
    [
      "at its entry in the ledger",
      "CREATE TABLE half (id int); INSERT INTO skein_migrations (name, applied_at) VALUES ('0003_broken', now());",
      /0003_broken.*duplicate key/,
    ],
  ])("takes a migration back that failed %s, and says which one it was", async (_, up, message) => {
    await withPool(await newDatabase(), async (pool) => {
      const migrations = [...postgresHostMigrations, { name: "0003_broken", up, down: "" }];

      await expect(migratePostgres(pool, [migrations])).rejects.toMatchObject({
        code: "migration_failed",
        message: expect.stringMatching(message) as string,
      });

      expect(await ledgerOf(pool)).toEqual(["0001_init", "0002_thread_ttl"]);
      const { rows } = await pool.query("SELECT to_regclass('half') AS half");
      expect(rows).toEqual([{ half: null }]);
    });
  });

  it("leaves no session behind with the migration lock or a setting", async () => {
    await withPool(await newDatabase(), async (pool) => {
      await migratePostgres(pool, [postgresHostMigrations]);

      const locks = await pool.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'");
      expect(locks.rows).toEqual([]);
      const timeout = await pool.query(
        "SELECT source FROM pg_settings WHERE name = 'statement_timeout'",
      );
      expect(timeout.rows).toEqual([{ source: "default" }]);
    });
  });

  it("does not ask for the lock of a database that lacks nothing", async () => {
    const url = await newDatabase();
    const first = await openPostgresStore({ url });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("SELECT pg_advisory_lock(7238110361)");

    const second = await openPostgresStore({ url });

    await holder.end();
    await second.close();
    await first.close();
  });

  it("does not touch the schema where it is told not to", async () => {
    const url = await newDatabase();
    const { pool, close } = await openPostgresStore({ url, migrate: false });

    expect((await pool.query("SELECT to_regclass('runs') AS runs")).rows).toEqual([{ runs: null }]);
    await close();
  });

  it("goes down as it came up", async () => {
    await withPool(await newDatabase(), async (pool) => {
      await migratePostgres(pool, [postgresHostMigrations]);

      for (const { down } of postgresHostMigrations.toReversed()) await pool.query(down);

      const tables = await pool.query(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
      );
      expect(tables.rows).toEqual([{ tablename: "skein_migrations" }]);
    });
  });
});

/** Until a session of this database waits for the lock of another one. */
async function waitingForALock(pool: Pool): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    })
    .toBe(1);
}

async function columnsOf(pool: Pool, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position",
    [table],
  );
  return rows.map(({ name }) => name);
}

async function ledgerOf(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT name FROM skein_migrations ORDER BY position",
  );
  return rows.map(({ name }) => name);
}

async function insertOldRuns(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO threads VALUES ('t1', 'idle', '{}', '{}', '{}', NULL, now(), now(), now())`,
  );
  for (const id of ["r1", "r2", "r3"]) {
    await pool.query(
      `INSERT INTO runs (run_id, thread_id, assistant_id, status, metadata, created_at, updated_at)
       VALUES ($1, 't1', 'echo', 'success', '{}', now(), now())`,
      [id],
    );
  }
}
