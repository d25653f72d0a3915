// Several processes on one SQLite file (cases F-04, Q-04, Q-06): no busy error surfaces, one writer
// wins, every acknowledged write is there, whatever its run is called.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import Database from "better-sqlite3";
import { resultMethods } from "skein-results";
import { sqliteDriver, sqliteMigrations } from "skein-results/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { resetsWalSafely, sqliteVersion } from "../testing/sqlite-version.js";

import { oldHostMigrations } from "./programs/old-host.js";

let program: ChildProgram;
let folder: string;

beforeAll(async () => {
  program = await childProgram(new URL("programs/record.ts", import.meta.url));
  folder = await mkdtemp(join(tmpdir(), "skein-processes-"));
});
afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true });
});

/** A file with these runs, in WAL mode. */
function fileWith(
  name: string,
  runIds: readonly string[],
): { path: string; database: Database.Database } {
  const path = join(folder, name);
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  for (const { up } of [...oldHostMigrations, ...sqliteMigrations]) database.exec(up);
  const insert = database.prepare("INSERT INTO runs (run_id, status) VALUES (?, 'running')");
  database.transaction(() => {
    for (const runId of runIds) insert.run(runId);
  })();
  return { path, database };
}

const WORKERS = Array.from({ length: 8 }, (_, worker) => `w${worker}`);
const ROUNDS = 100;

/** Many processes, on a machine that may be busy. */
const LONG_MS = 300_000;

it(
  "lets eight processes record the same runs and their own: one winner each, nothing lost",
  async () => {
    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
    const own = WORKERS.flatMap((worker) => rounds.map((round) => `own-${worker}-${round}`));
    const shared = rounds.map((round) => `shared-${round}`);
    const { path, database } = fileWith("race.db", [...shared, ...own]);

    const children = WORKERS.map((worker) => program.start("race", path, worker, String(ROUNDS)));
    await Promise.all(children.map((child) => once(child, "message")));
    const answers = children.map((child) => once(child, "message") as Promise<[unknown[]]>);
    const ends = children.map((child) => once(child, "close") as Promise<[number | null]>);
    for (const child of children) child.send("start");
    const read = (await Promise.all(answers)).map(([results]) => results);
    for (const [code] of await Promise.all(ends)) expect(code).toBe(0);

    const runs = resultMethods(sqliteDriver({ database }));
    for (const round of rounds) {
      const winner = await runs.getResult(`shared-${round}`);
      expect(winner).toEqual({ values: { worker: winner?.reply }, reply: winner?.reply });
      for (const results of read) expect(results[round]).toEqual(winner);
    }
    const stored = database.prepare("SELECT count(*) FROM runs WHERE result_values IS NOT NULL");
    expect(stored.pluck().get()).toBe(own.length + shared.length);
    database.close();
  },
  LONG_MS,
);

it("waits for a process that holds the write lock", async () => {
  const { path, database } = fileWith("locked.db", ["shared-0", "own-w0-0"]);
  const child = program.start("race", path, "w0", "1");
  await once(child, "message");
  database.exec("BEGIN IMMEDIATE");
  const answer = once(child, "message") as Promise<[unknown[]]>;
  child.send("start");
  await delay(1_000);
  database.exec("COMMIT");
  expect((await answer)[0]).toEqual([{ values: { worker: "w0" }, reply: "w0" }]);
  database.close();
});

it(
  "has every write that was acknowledged before the process was killed, under any run id",
  async () => {
    const odd = [
      "r'--",
      '"quoted"',
      "emoji 😀",
      "x".repeat(300),
      "%_",
      "null",
      "line\nbreak",
      "ünï",
    ];
    const plain = Array.from({ length: 42 }, (_, index) => `run-${index}`);
    const runIds = [...odd, ...plain];
    const { path, database } = fileWith("killed.db", runIds);
    database.close();
    for (const runId of runIds) {
      const child = program.start("die", path, runId);
      await once(child, "message");
      child.send("start");
      const [, signal] = (await once(child, "close")) as [number | null, string | null];
      expect(signal).toBe("SIGKILL");
    }
    const reopened = new Database(path);
    const runs = resultMethods(sqliteDriver({ database: reopened }));
    for (const runId of runIds)
      expect(await runs.getResult(runId)).toEqual({ values: { kept: runId } });
    expect(reopened.pragma("integrity_check", { simple: true })).toBe("ok");
    reopened.close();
  },
  LONG_MS,
);

it("works on a build of SQLite that loses nothing when it resets a WAL", () => {
  const unsafe = ["3.7.0", "3.44.5", "3.45.3", "3.50.6", "3.51.2", "2.8.17"];
  const safe = ["3.44.6", "3.50.7", "3.50.12", "3.51.3", "3.53.0", "4.0.0"];
  expect(unsafe.filter(resetsWalSafely)).toEqual([]);
  expect(safe.filter(resetsWalSafely)).toEqual(safe);

  expect(sqliteVersion()).toSatisfy(resetsWalSafely);
});

it("keeps ids apart that differ only behind a NUL", async () => {
  const { path, database } = fileWith("nul.db", ["a\0b", "a\0c"]);
  const runs = resultMethods(sqliteDriver({ database }));
  await runs.recordResult("a\0b", { values: { b: true } });
  expect(await runs.getResult("a\0c")).toBeNull();
  expect(await runs.getResult("a")).toBeNull();
  expect(await runs.exportResults(["a\0b", "a\0c"])).toEqual([["a\0b", { values: { b: true } }]]);
  database.close();
  const reopened = new Database(path);
  const again = resultMethods(sqliteDriver({ database: reopened }));
  expect(await again.getResult("a\0b")).toEqual({ values: { b: true } });
  reopened.close();
});

it("erases with the row where foreign keys are not enforced", async () => {
  const { database } = fileWith("no-foreign-keys.db", ["r"]);
  database.pragma("foreign_keys = OFF");
  const runs = resultMethods(sqliteDriver({ database }));
  await runs.recordResult("r", { values: { old: true } });
  database.exec("DELETE FROM runs WHERE run_id = 'r'");
  database.exec("INSERT INTO runs (run_id, status) VALUES ('r', 'running')");
  expect(await runs.getResult("r")).toBeNull();
  database.close();
});
