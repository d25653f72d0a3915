// A run of the crash test: every operation on every durable store, killed at the places that are asked
// for.

import type { ChildProgram } from "../testing/child-program.js";

import { postgresDatabases, sqliteFiles, type Databases } from "./databases.js";
import { openCrashHost } from "./host.js";
import { Crashes, Victims, type CrashReport } from "./kills.js";
import { killMigrations } from "./migration-kills.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { placesIn, spread } from "./places.js";

export interface CrashOptions {
  program: ChildProgram;
  kinds: readonly ("sqlite" | "postgres")[];
  /** At most so many kills for each operation and store, spread over its places; all without it. */
  killsEach?: number;
  /** Told after each operation. */
  progress?: (line: string) => void;
}

/** Kills processes on all stores at the same time, each store one process after the other. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const reports = await Promise.all(options.kinds.map((kind) => crashOn(kind, options)));
  return {
    kills: reports.reduce((sum, { kills }) => sum + kills, 0),
    points: reports.flatMap(({ points }) => points),
    violations: reports.flatMap(({ violations }) => violations),
  };
}

async function crashOn(
  kind: "sqlite" | "postgres",
  { program, killsEach, progress = () => undefined }: CrashOptions,
): Promise<CrashReport> {
  const databases: Databases = await (kind === "sqlite" ? sqliteFiles() : postgresDatabases());
  const victims = new Victims(program);
  const { place, remove } = await databases.make();
  await (await openCrashHost(place)).close();
  const crashes = new Crashes(victims, place);
  const { report } = crashes;
  const chosen = (steps: readonly string[]) => spread(placesIn(steps), killsEach);
  try {
    for (const operation of Object.keys(OPERATIONS) as OperationName[]) {
      const steps = await crashes.stepsOf(operation);
      for (const place of chosen(steps)) await crashes.kill(operation, place);
      progress(
        `${kind}: ${operation}: ${report.kills} kills, ${report.violations.length} violations`,
      );
    }
    await killMigrations(victims, databases, report, chosen);
    progress(`${kind}: migrations: ${report.kills} kills, ${report.violations.length} violations`);
  } finally {
    await crashes.close();
    await victims.end();
    await remove();
    await databases.close();
  }
  return report;
}
