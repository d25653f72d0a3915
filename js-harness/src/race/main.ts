// `npm run race [-- --seconds N] [-- --rounds N]`: two hosts on one Postgres race on the same threads,
// first directly and then behind a pooler in transaction mode; then six processes race to migrate one
// database, on SQLite and on Postgres. Prints a summary and writes reports/race.json.

import { parseArgs } from "node:util";

import { postgresDatabases, sqliteFiles } from "../crash/databases.js";
import { childProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";
import { writeReport } from "../testing/reports.js";
import { transactionPooler } from "../testing/transaction-pooler.js";

import { FOUND, raceMigrations, type MigrationRaceReport } from "./migrations.js";
import { race, type RaceReport } from "./race.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    rounds: { type: "string", default: "30" },
  },
});

// As seen from where this program is compiled to.
const compiled = (path: string) =>
  childProgram(
    new URL(`../src/${path}`, import.meta.url),
    new URL("../node_modules/.child-programs/", import.meta.url),
  );
const program = await compiled("race/programs/race-child.ts");
const server = await startPostgres();
const run = async (poolerSize: number | null): Promise<RaceReport> => {
  const database = await freshDatabase(server.url);
  const pooler = poolerSize === null ? null : await transactionPooler(database.url, poolerSize);
  const seen = pooler ? { poolerUrl: pooler.url } : {};
  const report = await race({
    program,
    url: database.url,
    ...seen,
    seconds: Number(values.seconds),
  });
  await pooler?.close();
  await database.drop();
  return report;
};
/** Fewer connections than the hosts have statements under way, so that they change hands. */
const POOLER_SIZE = 4;
const reports = {
  "two hosts on one Postgres": await run(null),
  "behind a pooler in transaction mode": await run(POOLER_SIZE),
};
await server.stop();
await program.remove();

const migrating = await compiled("package/programs/migrate.ts");
const migrations: Record<string, MigrationRaceReport> = {};
for (const [kind, open] of [
  ["SQLite", sqliteFiles],
  ["Postgres", postgresDatabases],
] as const) {
  const databases = await open();
  for (const found of FOUND) {
    const rounds = Number(values.rounds);
    const report = await raceMigrations({ program: migrating, databases, found, rounds });
    // A run that is made short may miss the middle.
    if (rounds >= 30 && report.killedMidway === 0) {
      report.violations.push("No process was killed in the middle.");
    }
    migrations[`six processes that migrate ${found} on ${kind}`] = report;
  }
  await databases.close();
}
await migrating.remove();

for (const [title, { moves, looks, operations, seconds, violations }] of Object.entries(reports)) {
  console.log(title);
  for (const [name, { made, refused }] of Object.entries(moves)) {
    console.log(
      `${name.padEnd(36)} ${String(made).padStart(6)} made ${String(refused).padStart(6)} refused`,
    );
  }
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  console.log(
    `${operations} operations in ${seconds} s, rows looked at ${looks} times, ${violations.length} violations\n`,
  );
}
for (const [title, { rounds, killedMidway, violations }] of Object.entries(migrations)) {
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  console.log(
    `${title}: ${rounds} rounds, one killed midway in ${killedMidway}, ${violations.length} violations`,
  );
}
const all = Object.values(reports);
const sum = (of: (report: RaceReport) => number) =>
  all.reduce((total, report) => total + of(report), 0);
const violations =
  sum((report) => report.violations.length) +
  Object.values(migrations).reduce((total, report) => total + report.violations.length, 0);
await writeReport("race", {
  seconds: sum((report) => report.seconds),
  operations: sum((report) => report.operations),
  violations,
  reports,
  migrations,
});
process.exitCode = violations === 0 ? 0 : 1;
