// A file that cannot be written, and one that cannot grow: every primitive says so, and what was there is
// as it was.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import Database from "better-sqlite3";
import { resultMethods } from "skein-results";
import {
  migrateSqlite,
  sqliteDriver,
  sqliteMigrations,
  sqliteTaskMigrations,
} from "skein-results/sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openHost, openSqliteHost, type Host } from "../host.js";
import { sqliteHostMigrations } from "../stores/migrations/sqlite.generated.js";
import { openSqliteStore } from "../stores/sqlite.js";

import { PLACES_ROWS } from "./database-rows.js";
import { databaseErrorIn, failureOf } from "./driver-failure.js";
import { ELSEWHERE, HERE, methodsWith, WAYS } from "./primitives.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-faults-"));
  path = join(folder, "agent.db");
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  await migrateSqlite(database, [sqliteHostMigrations, sqliteMigrations, sqliteTaskMigrations]);
  database.exec(PLACES_ROWS);
  database.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const rowsIn = (database: Database.Database) =>
  database.prepare("SELECT * FROM runs ORDER BY run_id").all();

const driverOn = (database: Database.Database) =>
  sqliteDriver({ database, deliver: () => undefined });

/** `admitResume` writes nothing of its own: that is for the host's `create`. */
const READS = ["read", "readMany", "taskPage", "admitResume"];

describe.each(WAYS)("$name, called by $way, on a file that is read-only", ({ name, said }) => {
  it("is answered if it reads, and says what the file is if it writes", async () => {
    const database = new Database(path, { readonly: true });
    const driver = driverOn(database);
    const before = rowsIn(database);
    const runs = methodsWith(driver, name, driver[name].bind(driver), said);
    const call = said.call(runs, HERE);
    const isRead = READS.includes(name) && said.lacking?.includes("copyMany") !== true;
    if (isRead) await call;
    else {
      const writes = said.lacking?.includes("copyMany") ? ["driver_failed"] : said.codes;
      expect(databaseErrorIn(await failureOf(call), writes).code).toBe("SQLITE_READONLY");
    }
    expect(rowsIn(database)).toEqual(before);
    expect(await runs.getResult(HERE.done)).toMatchObject({ values: { answer: 42 } });
    expect(database.inTransaction).toBe(false);
    database.close();
  });
});

describe("a file that cannot grow", () => {
  const LARGE = { values: { text: "x".repeat(300_000) } };
  const texts = {
    values: JSON.stringify(LARGE.values),
    interrupts: null,
    reply: null,
    checkpoint: null,
  };

  it.each([
    ["recordResult", (runs: Runs) => runs.recordResult(HERE.running, LARGE)],
    [
      "settleRun",
      (runs: Runs) =>
        runs.settleRun(HERE.running, { status: "success", result: LARGE, delivery: {} }),
    ],
    [
      "attachResults",
      (runs: Runs) =>
        runs.attachResults([
          [HERE.copy, { ...texts, values: "1" }],
          [HERE.running, texts],
        ]),
    ],
    [
      "copyResults",
      (runs: Runs) =>
        runs.copyResults({
          sourceThread: HERE.thread,
          targetThread: "t",
          runs: [
            { from: HERE.done, to: HERE.copy },
            { from: ELSEWHERE.running, to: HERE.running },
          ],
        }),
    ],
  ] as const)(
    "%s writes nothing at all, and the next one that fits is written",
    async (_, call) => {
      const database = new Database(path);
      const runs = resultMethods(driverOn(database));
      await runs.recordResult(ELSEWHERE.running, LARGE);
      const pages = database.pragma("page_count", { simple: true }) as number;
      database.pragma(`max_page_count = ${pages}`);
      const before = rowsIn(database);

      expect(databaseErrorIn(await failureOf(call(runs))).code).toBe("SQLITE_FULL");
      expect(rowsIn(database)).toEqual(before);
      expect(database.inTransaction).toBe(false);
      expect(await runs.cancelRun(HERE.later)).toEqual({ status: "cancelled", won: true });

      database.pragma("max_page_count = 1000000");
      await call(runs);
      expect(rowsIn(database)).not.toEqual(before);
      expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
      database.close();
    },
  );

  it("leaves a run whose end does not fit in flight, for the next host, and keeps what there is", async () => {
    const { store, database, close } = await openSqliteStore({ path });
    const host = await openHost({
      store,
      saver: new MemorySaver(),
      onClose: close,
      log: () => undefined,
    });
    const { thread_id: threadId } = await host.services().threads.create();
    const first = await turn(host, threadId, "fits");
    expect(await first.outcome).toMatchObject({ status: "success" });
    const second = await turn(host, threadId, "y".repeat(200_000));
    database.pragma(`max_page_count = ${pageCount(database)}`);

    expect(databaseErrorIn(await failureOf(second.outcome)).code).toBe("SQLITE_FULL");
    expect(await host.services().runs.get(second.run.run_id)).toMatchObject({ status: "running" });
    expect(await store.runs.getResult?.(second.run.run_id)).toBeNull();
    await host.close();

    const next = await openSqliteHost({ path, log: () => undefined });
    await vi.waitFor(async () => {
      expect(await next.store.runs.listActiveRuns()).toEqual([]);
    }, 20_000);
    const ids = [first.run.run_id, second.run.run_id];
    for (const id of ids) {
      expect(await next.services().runs.get(id)).toMatchObject({ status: "success" });
      expect(await next.store.runs.getResult?.(id)).not.toBeNull();
    }
    await next.close();
  });
});

const pageCount = (database: Database.Database) =>
  database.pragma("page_count", { simple: true }) as number;

async function turn(host: Host, threadId: string, value: string) {
  const request = { threadId, assistantId: "echo", input: { value } };
  const mark = (root: string) => ({ root, turn: 0, message: null });
  return host.services().runs.submit(request, { mark });
}

type Runs = ReturnType<typeof resultMethods<ReturnType<typeof driverOn>>>;
