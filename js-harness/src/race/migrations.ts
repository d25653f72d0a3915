// Six processes migrate one database at once, and one of them is killed on the way: the others end well,
// and the database is as one process would have left it, to the new build and to the old one.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { setTimeout as delay } from "node:timers/promises";

import type { Databases } from "../crash/databases.js";
import { OLD_ROWS, OLD_RUNS } from "../package/programs/old-host.js";
import type { ChildProgram } from "../testing/child-program.js";

import { openMigrated, type MigratedDatabase } from "./migrated-database.js";

/** What the processes find. */
export const FOUND = ["nothing", "a database without results"] as const;
export type Found = (typeof FOUND)[number];

export interface MigrationRaceReport {
  rounds: number;
  /** Rounds in which the one that was killed had begun, and had not ended. */
  killedMidway: number;
  violations: string[];
}

export interface MigrationRaceOptions {
  program: ChildProgram;
  databases: Databases;
  found: Found;
  /** Each on a database of its own, with the kill at another moment. */
  rounds: number;
}

const PROCESSES = 6;
/** The last of the moments, counted from the first statement: the last process has ended by then. */
const LATEST_KILL_MS = 60;

export async function raceMigrations(options: MigrationRaceOptions): Promise<MigrationRaceReport> {
  const { databases, found, rounds } = options;
  const alone = await databases.make();
  const schema = await using(openMigrated(alone.place), async (database) => {
    await leave(database, found);
    await database.migrate("new");
    return database.schema();
  });
  await alone.remove();

  const report: MigrationRaceReport = { rounds, killedMidway: 0, violations: [] };
  for (let round = 0; round < rounds; round += 1) {
    const { place, remove } = await databases.make();
    if (found !== "nothing") await using(openMigrated(place), (database) => leave(database, found));
    const killedAfter = Math.round((round * LATEST_KILL_MS) / rounds);
    const { ends, isMidway } = await sixAtOnce(
      options.program,
      [place.kind, place.at],
      killedAfter,
    );
    if (isMidway) report.killedMidway += 1;
    const broken = ends.filter((end) => end !== WELL);
    broken.push(...(await using(openMigrated(place), (next) => brokenIn(next, found, schema))));
    const where = `${place.kind}, ${found}, killed after ${killedAfter} ms`;
    report.violations.push(...broken.map((sentence) => `${where}: ${sentence}`));
    await remove();
  }
  return report;
}

const WELL = "ended well";

/** Starts six at the same moment, kills the first one later, and answers how the others ended. */
async function sixAtOnce(
  program: ChildProgram,
  parameters: readonly string[],
  killedAfter: number,
): Promise<{ ends: string[]; isMidway: boolean }> {
  const children = Array.from({ length: PROCESSES }, () => program.start(...parameters));
  await Promise.all(children.map((child) => once(child, "message")));
  const ends = children.map(endOf);
  const [victim] = children;
  let told = 0;
  victim?.on("message", () => (told += 1));
  const begun = victim ? once(victim, "message") : undefined;
  for (const child of children) child.send("start");
  await begun;
  await delay(killedAfter);
  // It has told that it began; the other thing that it tells is what it has applied.
  const isMidway = told === 1;
  victim?.kill("SIGKILL");
  return { ends: (await Promise.all(ends)).slice(1), isMidway };
}

async function endOf(child: ChildProcess): Promise<string> {
  const printed: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  const [code] = (await once(child, "close")) as [number | null];
  return code === 0 ? WELL : `A process ended with ${String(code)}: ${printed.join("")}`;
}

async function leave(database: MigratedDatabase, found: Found): Promise<void> {
  if (found === "nothing") return;
  await database.migrate("old");
  await database.query(OLD_RUNS);
}

/** The columns of the old build. */
const OLD_COLUMNS = "SELECT run_id, status, updated_at, error FROM runs ORDER BY run_id";

async function brokenIn(
  database: MigratedDatabase,
  found: Found,
  schema: unknown,
): Promise<string[]> {
  const broken: string[] = [];
  const require = (what: string, seen: unknown, expected: unknown): void => {
    if (isDeepStrictEqual(plain(seen), plain(expected))) return;
    broken.push(`${what}: ${JSON.stringify(seen)} and not ${JSON.stringify(expected)}.`);
  };
  const oldRows = found === "nothing" ? [] : OLD_ROWS;
  const oldIds = oldRows.map(({ run_id }) => run_id);

  const before = await database.writes();
  require("Opened again it migrates", await database.migrate("new"), []);
  require("Opened again it writes", await database.writes(), before);
  require("It is not sound", await database.integrity(), "ok");
  require("Its schema", await database.schema(), schema);
  require("Its old rows", await database.query(OLD_COLUMNS), oldRows);
  const results = database.results();
  for (const id of oldIds) require(`The result of ${id}`, await results.getResult(id), null);
  require("The results of old runs", await results.exportResults(oldIds), []);

  require("The old build migrates", await database.migrate("old"), []);
  await database.query("INSERT INTO runs (run_id, status) VALUES ('r4', 'running')");
  const added = { run_id: "r4", status: "running", updated_at: null, error: null };
  require("The old build reads", await database.query(OLD_COLUMNS), [...oldRows, added]);
  await results.recordResult("r4", { values: { kept: true } });
  require("The result of its run", await results.getResult("r4"), { values: { kept: true } });
  require("Its schema after that", await database.schema(), schema);
  return broken;
}

/** Rows have prototypes of their own. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

async function using<T>(
  database: MigratedDatabase,
  work: (database: MigratedDatabase) => Promise<T>,
): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
