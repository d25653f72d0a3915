// `npm run race [-- --seconds N]`: two hosts on one Postgres race on the same threads; prints a summary
// and writes reports/race.json.

import { parseArgs } from "node:util";

import { childProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";
import { writeReport } from "../testing/reports.js";

import { race } from "./race.js";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "30" } } });

// As seen from where this program is compiled to.
const program = await childProgram(
  new URL("../src/race/programs/race-child.ts", import.meta.url),
  new URL("../node_modules/.child-programs/", import.meta.url),
);
const server = await startPostgres();
const database = await freshDatabase(server.url);
const report = await race({ program, url: database.url, seconds: Number(values.seconds) });
await database.drop();
await server.stop();
await program.remove();

const { seconds, operations, moves, looks, violations } = report;
for (const [name, { made, refused }] of Object.entries(moves)) {
  console.log(
    `${name.padEnd(36)} ${String(made).padStart(6)} made ${String(refused).padStart(6)} refused`,
  );
}
for (const violation of violations) console.log(`VIOLATION ${violation}`);
console.log(
  `${operations} operations in ${seconds} s, rows looked at ${looks} times, ${violations.length} violations`,
);
await writeReport("race", { ...report, violations: violations.length });
process.exitCode = violations.length === 0 ? 0 : 1;
