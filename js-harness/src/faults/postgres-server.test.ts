// A server that takes too long, cuts its connections, or is killed: every primitive says so, nothing is
// half written, and the pool serves the next call.

import pg from "pg";
import { isSkeinResultsError, resultMethods } from "skein-results";
import {
  migratePostgres,
  postgresDriver,
  postgresMigrations,
  postgresTaskMigrations,
} from "skein-results/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { openPostgresHost, type Host } from "../host.js";
import { openRows } from "../invariants/rows.js";
import { brokenAtRest, Watch } from "../invariants/watch.js";
import { postgresHostMigrations } from "../stores/migrations/postgres.generated.js";
import {
  freshDatabase,
  startThrowawayPostgres,
  type FreshDatabase,
  type ThrowawayPostgres,
} from "../testing/postgres-server.js";

import { PLACES_ROWS } from "./database-rows.js";
import { databaseErrorIn, failureOf } from "./driver-failure.js";
import { HERE, methodsWith, PRIMITIVES, WAYS } from "./primitives.js";

let server: ThrowawayPostgres;
let database: FreshDatabase;
/** Nothing holds it up, and it looks at what the others do. */
let observer: pg.Pool;
beforeAll(async () => {
  server = await startThrowawayPostgres();
  database = await freshDatabase(server.url);
  observer = new pg.Pool({ connectionString: database.url });
  observer.on("error", () => undefined);
  const lists = [postgresHostMigrations, postgresMigrations, postgresTaskMigrations];
  await migratePostgres(observer, lists);
});
afterAll(async () => {
  await observer.end();
  await server.stop();
});
beforeEach(async () => {
  await observer.query("DELETE FROM threads");
  await observer.query(PLACES_ROWS);
});

const allRows = async (): Promise<unknown[]> =>
  (await observer.query<object>("SELECT * FROM runs ORDER BY run_id")).rows;

/** Does the work while nobody else can read or write a run. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = await observer.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE");
  try {
    await work();
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

/** The connections of a pool that wait for the lock. */
const WAITING = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;

async function expectClean(pool: pg.Pool): Promise<void> {
  // A page and its count are asked for at the same time; the second may still be failing.
  await vi.waitFor(async () => {
    expect(pool.waitingCount).toBe(0);
    expect(pool.idleCount).toBe(pool.totalCount);
    const { rows } = await observer.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND (state LIKE 'idle in transaction%' OR (state = 'active' AND pid <> pg_backend_pid()))`,
    );
    expect(rows).toEqual([]);
  }, 20_000);
}

/** Lifts the limit: on a busy machine a statement that is right may take longer, too. */
async function unhurried(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) {
    await client.query("SET statement_timeout = 0");
    client.release();
  }
}

const CALLS = WAYS.flatMap((way) => [
  { ...way, prepare: false, with: "" },
  { ...way, prepare: true, with: " with prepared statements" },
]);

describe.each(CALLS)("$name, called by $way$with", ({ name, said, prepare }) => {
  const faults = {
    "takes longer than `statement_timeout`": {
      settings: { statement_timeout: 100 },
      strike: () => Promise.resolve(),
      over: unhurried,
      code: "57014",
    },
    "loses its connection": {
      settings: {},
      strike: () =>
        vi.waitFor(async () => {
          const cut = await observer.query(`SELECT pg_terminate_backend(pid) ${WAITING}`);
          expect(cut.rows).not.toEqual([]);
        }, 20_000),
      over: () => Promise.resolve(),
      code: "57P01",
    },
  };

  it.each(Object.entries(faults))("on a statement that %s", async (_, fault) => {
    const pool = new pg.Pool({ connectionString: database.url, max: 2, ...fault.settings });
    pool.on("error", () => undefined);
    const driver = postgresDriver({ pool, prepare, deliver: () => Promise.resolve() });
    const runs = methodsWith(driver, name, driver[name].bind(driver), said);
    const before = await allRows();

    await whileLocked(async () => {
      const failure = failureOf(said.call(runs, HERE));
      await fault.strike();
      // The weaker form of a copy reads first, and a settle captures.
      const error = databaseErrorIn(await failure, said.codes);
      expect(error.code).toBe(fault.code);
    });

    await expectClean(pool);
    expect(await allRows()).toEqual(before);
    await fault.over(pool);
    await said.call(runs, HERE);
    if (PRIMITIVES[name].junk === null) expect(await allRows()).not.toEqual(before);
    await expectClean(pool);
    await pool.end();
  });
});

describe("a server that is killed and started again", () => {
  it("is named by every call meanwhile, and serves the next ones", async () => {
    const pool = new pg.Pool({ connectionString: database.url });
    pool.on("error", () => undefined);
    const runs = resultMethods(postgresDriver({ pool, deliver: () => Promise.resolve() }));
    const failures: unknown[] = [];
    const over = new AbortController();
    const restarted = server.restart().finally(() => {
      over.abort();
    });
    while (!over.signal.aborted) {
      await runs.getResult(HERE.done).catch((error: unknown) => failures.push(error));
      await runs.cancelRun("unknown").catch((error: unknown) => failures.push(error));
    }
    await restarted;
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) {
      expect(isSkeinResultsError(failure) && failure.code).toBe("driver_failed");
      expect((failure as Error).cause).toBeInstanceOf(Error);
    }
    expect(await runs.getResult(HERE.done)).toMatchObject({ values: { answer: 42 } });
    expect(pool.idleCount).toBe(pool.totalCount);
    await pool.end();
  });

  it("costs a host no run: what was told is so, and the rest is executed by the next host", async () => {
    const own = await freshDatabase(server.url);
    const host = await openPostgresHost({
      url: own.url,
      log: () => undefined,
      shutdownGraceMs: 100,
    });
    const promised = new Map<string, string | null>();
    const watch = new Watch({ oneWrite: true });
    let isOver = false;
    const callers = Array.from({ length: 4 }, () =>
      callAgainAndAgain(host, promised, () => isOver),
    );
    await vi.waitFor(() => {
      expect([...promised.values()].filter((status) => status !== null).length).toBeGreaterThan(4);
    }, 30_000);
    await server.restart();
    const before = promised.size;
    await vi.waitFor(() => {
      expect(promised.size).toBeGreaterThan(before + 4);
    }, 30_000);
    isOver = true;
    await Promise.all(callers);
    const rows = openRows({ kind: "postgres", at: own.url });
    const broken = watch.see(await rows.read());
    await host.close();

    const next = await openPostgresHost({ url: own.url, log: () => undefined });
    await vi.waitFor(async () => {
      expect(await next.store.runs.listActiveRuns()).toEqual([]);
    }, 30_000);
    const atRest = await rows.read();
    broken.push(...watch.see(atRest), ...brokenAtRest(atRest));
    expect(broken).toEqual([]);
    for (const [runId, status] of promised) {
      const row = await next.store.runs.get(runId);
      expect(row).not.toBeNull();
      if (status !== null) expect(row?.status).toBe(status);
    }
    await rows.close();
    await next.close();
    await own.drop();
  });
});

/** Turns on threads of its own; what the host says is written down. */
async function callAgainAndAgain(
  host: Host,
  promised: Map<string, string | null>,
  isOver: () => boolean,
): Promise<void> {
  const { runs, threads } = host.services();
  while (!isOver()) {
    try {
      const { thread_id: threadId } = await threads.create();
      const request = { threadId, assistantId: "echo", input: { value: "in" } };
      const { run, outcome } = await runs.submit(request, {
        mark: (root) => ({ root, turn: 0, message: null }),
      });
      promised.set(run.run_id, null);
      const ended = await outcome;
      if (ended) promised.set(run.run_id, ended.status);
    } catch {
      // The server is away; what was not answered was not promised.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
