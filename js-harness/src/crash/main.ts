// `npm run crash [-- --kills-each N] [-- --only sqlite|postgres]`: processes are killed at every
// statement of every operation; prints a summary and writes reports/crash.json.

import { parseArgs } from "node:util";

import { childProgram } from "../testing/child-program.js";
import { writeReport } from "../testing/reports.js";
import { sqliteVersion } from "../testing/sqlite-version.js";

import { crash } from "./crash.js";
import { killsByStep } from "./places.js";

const { values } = parseArgs({
  options: { "kills-each": { type: "string" }, only: { type: "string" } },
});
const kinds = (["sqlite", "postgres"] as const).filter((kind) => (values.only ?? kind) === kind);
const killsEach = values["kills-each"];

// As seen from where this program is compiled to.
const program = await childProgram(
  new URL("../src/crash/programs/crash-child.ts", import.meta.url),
  new URL("../node_modules/.child-programs/", import.meta.url),
);
const started = Date.now();
const report = await crash({
  program,
  kinds,
  ...(killsEach === undefined ? {} : { killsEach: Number(killsEach) }),
  progress: (line) => console.log(line),
});
await program.remove();

const { kills, points, violations } = report;
const sqlite = sqliteVersion();
const steps = killsByStep(points, kinds);
// A run that is made short comes to fewer places.
if (killsEach === undefined) {
  const missed = Object.keys(steps).filter((name) => steps[name] === 0);
  violations.push(...missed.map((name) => `No process was killed in the middle of: ${name}.`));
}
const seconds = Math.round((Date.now() - started) / 1000);
for (const [name, count] of Object.entries(steps)) console.log(`${name}: ${count} kills`);
for (const violation of violations) console.log(`VIOLATION ${violation}`);
console.log(`SQLite ${sqlite}`);
console.log(
  `${kills} kills at ${new Set(points).size} points in ${seconds} s, ${violations.length} violations`,
);
await writeReport("crash", {
  kills,
  points: new Set(points).size,
  violations: violations.length,
  seconds,
  sqlite,
  steps,
  killed: points,
});
process.exitCode = violations.length === 0 ? 0 : 1;
