// `npm run reproduce`: runs the gate, shows what came out, and writes the report. Exits with 0 only if
// the baseline fails as recorded and the package's answers are right on every store.

import { join } from "node:path";

import { startPostgres } from "../testing/postgres-server.js";

import { withMemory, withPostgres, withSqliteFile } from "./gate-stores.js";
import {
  isReproduced,
  reproduce,
  tableOf,
  writeReport,
  type Reproduction,
} from "./reproduction.js";

/** Below the folder of the harness, from which the script at the root runs this. */
const REPORT = join("reports", "reproduce.json");

const reproduction = process.argv.includes("--postgres")
  ? await reproduceWithPostgres()
  : await reproduce([withMemory, withSqliteFile]);
await writeReport(REPORT, reproduction);

const isRight = isReproduced(reproduction);
console.log(`\n${tableOf(reproduction)}\n`);
console.log(
  isRight
    ? "Without the package the first answer is lost; with it, it is kept."
    : "This is not what was recorded: see the verdicts.",
);
console.log(`Report: ${join("js-harness", REPORT)}`);
process.exitCode = isRight ? 0 : 1;

async function reproduceWithPostgres(): Promise<Reproduction> {
  const server = await startPostgres();
  try {
    return await reproduce([withMemory, withSqliteFile, withPostgres(server.url)]);
  } finally {
    await server.stop();
  }
}
