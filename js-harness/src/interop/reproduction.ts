// The gate on several stores, as a table for a person and a report for a program.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { MODES, runGate, type GateRow } from "./gate.js";
import type { WithGateStore } from "./gate-stores.js";
import { isAsRecorded } from "./verdict.js";

/** What is written to `reports/reproduce.json`. */
export interface Reproduction {
  /** The version of the official SDK. */
  sdk: string;
  rows: GateRow[];
}

/** Runs the gate in every mode on every store. */
export async function reproduce(stores: readonly WithGateStore[]): Promise<Reproduction> {
  const rows: GateRow[] = [];
  for (const withStore of stores) {
    for (const mode of MODES) rows.push(await withStore((store) => runGate(store, mode)));
  }
  return { sdk: await sdkVersion(), rows };
}

/** True if the baseline fails as recorded and the package's answers are right, on every store. */
export function isReproduced({ rows }: Reproduction): boolean {
  return rows.length > 0 && rows.every(isAsRecorded);
}

export async function writeReport(path: string, reproduction: Reproduction): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(reproduction, null, 2)}\n`);
}

/** The rows under a heading, in columns. */
export function tableOf({ rows }: Reproduction): string {
  const heading = ["store", "mode", "answer sent", "answer fetched", "verdict"];
  const lines = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const [first, ...rest] = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(" | ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  return [first, rule, ...rest].join("\n");
}

function cellsOf(row: GateRow): string[] {
  return [
    row.reopened ? `${row.store}, reopened` : `${row.store} (cannot reopen)`,
    row.mode,
    partsText(row.sent),
    partsText(row.fetched),
    verdictText(row),
  ];
}

function partsText(parts: readonly unknown[]): string {
  return parts.length === 0 ? "no artifact" : parts.map((part) => JSON.stringify(part)).join(" ");
}

function verdictText(row: GateRow): string {
  if (!isAsRecorded(row)) return "NOT AS RECORDED";
  return row.equal ? "kept" : "LOST, as recorded";
}

async function sdkVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@a2a-js/sdk");
  const file = join(dirname(dirname(entry)), "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as { version: string };
  return manifest.version;
}
