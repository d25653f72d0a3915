// The reports of the commands: js-harness/reports/<name>.json.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ROOT } from "./process.mjs";

/** Writes a report, and says where. */
export function writeReport(name, report) {
  const folder = join(ROOT, "js-harness", "reports");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`report: js-harness/reports/${name}.json\n`);
}

/** The last line of what a program printed. */
export function lastLine(output) {
  return output.trimEnd().split("\n").at(-1);
}
