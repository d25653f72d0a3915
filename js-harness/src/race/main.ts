// `npm run race [-- --seconds N]`: two hosts on one Postgres race on the same threads, first directly
// and then behind a pooler in transaction mode; prints a summary and writes reports/race.json.

import { parseArgs } from "node:util";

import { childProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";
import { writeReport } from "../testing/reports.js";
import { transactionPooler } from "../testing/transaction-pooler.js";

import { race, type RaceReport } from "./race.js";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "30" } } });

// As seen from where this program is compiled to.
const program = await childProgram(
  new URL("../src/race/programs/race-child.ts", import.meta.url),
  new URL("../node_modules/.child-programs/", import.meta.url),
);
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
const all = Object.values(reports);
const sum = (of: (report: RaceReport) => number) =>
  all.reduce((total, report) => total + of(report), 0);
const violations = sum((report) => report.violations.length);
await writeReport("race", {
  seconds: sum((report) => report.seconds),
  operations: sum((report) => report.operations),
  violations,
  reports,
});
process.exitCode = violations === 0 ? 0 : 1;
