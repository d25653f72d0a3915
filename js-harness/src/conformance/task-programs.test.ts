// The same programs on every driver that the package brings along give the same pages of tasks.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  freshDatabase,
  startPostgres,
  type FreshDatabase,
  type PostgresServer,
} from "../testing/postgres-server.js";

import { openMemoryDriver } from "./testing/memory-store.js";
import { createTables, openPostgresDriver } from "./testing/postgres-store.js";
import { differenceIn, ProgramClock, type ProgramStore } from "./testing/program-runs.js";
import { USUAL_NAMES } from "./testing/run-tables.js";
import { openSqliteDriver } from "./testing/sqlite-store.js";
import { programs } from "./testing/task-programs.js";

/** Set it to run the programs of an earlier time again. */
const SEED = Number(process.env["TASK_PROGRAMS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const PROGRAMS = 120;

describe("the memory, SQLite and Postgres drivers", () => {
  const clock = new ProgramClock();
  let server: PostgresServer;
  let database: FreshDatabase;
  let stores: ProgramStore[];
  beforeAll(async () => {
    server = await startPostgres();
    database = await freshDatabase(server.url);
    await createTables({ url: database.url });
    stores = [
      { name: "memory", store: openMemoryDriver(clock.now), places: [] },
      { name: "SQLite", store: await openSqliteDriver(USUAL_NAMES, clock.now), places: [] },
      {
        name: "Postgres",
        store: openPostgresDriver({ url: database.url, clock: clock.now }),
        places: [],
      },
    ];
  });
  afterAll(async () => {
    for (const { store } of stores) await store.close();
    await database.drop();
    await server.stop();
  });

  it(`say the same to every step of ${PROGRAMS} programs, of the seed ${SEED}`, async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        expect(await differenceIn(program, stores, clock)).toBeNull();
      }),
      // A failure is told before the test's own time is over, however far it has been made smaller.
      {
        seed: SEED,
        numRuns: PROGRAMS,
        plugins: [fc.interruptAfterTimeLimit(450_000, { failOnInterrupt: true })],
      },
    );
  }, 600_000);
});
