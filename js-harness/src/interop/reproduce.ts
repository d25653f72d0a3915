// `npm run reproduce`: runs the gate, shows what came out, and writes the report. Exits with 0 only if
// the baseline fails as recorded and the package's answers are right on every store.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

import { startPostgres } from "../testing/postgres-server.js";

import { MODES, runGate, type GateRow } from "./gate.js";
import { withMemory, withPostgres, withSqliteFile, type WithGateStore } from "./gate-stores.js";
import { isAsRecorded } from "./verdict.js";

/** Run from the folder of the harness, as the script at the root does. */
const REPORT = join(process.cwd(), "reports", "reproduce.json");

const rows: GateRow[] = [];
for (const withStore of [withMemory, withSqliteFile]) await runOn(withStore);
if (process.argv.includes("--postgres")) {
  const server = await startPostgres();
  try {
    await runOn(withPostgres(server.url));
  } finally {
    await server.stop();
  }
}

const sdk = await sdkVersion();
await mkdir(dirname(REPORT), { recursive: true });
await writeFile(REPORT, `${JSON.stringify({ sdk, rows }, null, 2)}\n`);
printTable(rows);
const isRight = rows.every(isAsRecorded);
console.log(
  isRight
    ? "Without the package the first answer is lost; with it, it is kept."
    : "This is not what was recorded: see the verdicts.",
);
console.log(`Report: ${relative(join(process.cwd(), ".."), REPORT)}`);
process.exitCode = isRight ? 0 : 1;

async function runOn(withStore: WithGateStore): Promise<void> {
  for (const mode of MODES) rows.push(await withStore((store) => runGate(store, mode)));
}

async function sdkVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@a2a-js/sdk");
  const file = join(dirname(dirname(entry)), "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as { version: string };
  return manifest.version;
}

function printTable(shown: readonly GateRow[]): void {
  const cells = [
    ["store", "mode", "answer sent", "answer fetched", "verdict"],
    ...shown.map((row) => [
      row.reopened ? `${row.store}, reopened` : `${row.store} (cannot reopen)`,
      row.mode,
      partsText(row.sent),
      partsText(row.fetched),
      verdictText(row),
    ]),
  ];
  const widths = cells[0]?.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = cells.map((line) =>
    line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join(" | "),
  );
  const rule = widths?.map((width) => "-".repeat(width)).join("-|-");
  console.log(["", lines[0], rule, ...lines.slice(1), ""].join("\n"));
}

function partsText(parts: readonly unknown[]): string {
  return parts.length === 0 ? "no artifact" : parts.map((part) => JSON.stringify(part)).join(" ");
}

function verdictText(row: GateRow): string {
  if (!isAsRecorded(row)) return "NOT AS RECORDED";
  return row.equal ? "kept" : "LOST, as recorded";
}
