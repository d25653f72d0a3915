// The reports of the commands: js-harness/reports/<name>.json.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { capture, ROOT } from "./process.mjs";

/** Writes a report, and says where. */
export function writeReport(name, report) {
  const folder = join(ROOT, "js-harness", "reports");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`report: js-harness/reports/${name}.json\n`);
}

/** The commit whose rules and Rust tests stand here, for a report on them. */
export function testedCommit() {
  const changes = capture("git", ["status", "--porcelain", "--", "src", "tests", "Cargo.toml"]);
  return `${capture("git", ["rev-parse", "HEAD"])}${changes ? " with changes" : ""}`;
}

/** The last line of what a program printed. */
export function lastLine(output) {
  return output.trimEnd().split("\n").at(-1);
}
