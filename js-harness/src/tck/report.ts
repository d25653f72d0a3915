// What a run of the kit against every agent has come to.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { Worse } from "./comparison.js";
import type { Transport } from "./kit.js";
import type { Outcome, TestResults } from "./test-results.js";

/** One agent under one set of transports. */
export interface KitRun {
  sut: string;
  store: string;
  transports: readonly Transport[];
  passed: number;
  failed: number;
  skipped: number;
  failures: { test: string; why: string }[];
}

export interface TckReport {
  kit: { commit: string | null };
  runs: KitRun[];
  worse: (Worse & Pick<KitRun, "sut" | "store" | "transports">)[];
}

/** Sums up a run. A test of something optional that the agent misses counts as failed. */
export function kitRun(
  run: Pick<KitRun, "sut" | "store" | "transports">,
  results: TestResults,
): KitRun {
  const outcomes = [...results];
  const count = (...kinds: Outcome["is"][]) =>
    outcomes.filter(([, { is }]) => kinds.includes(is)).length;
  const failures = outcomes.flatMap(([test, outcome]) =>
    outcome.is === "failed" || outcome.is === "missed" ? [{ test, why: outcome.why }] : [],
  );
  return {
    ...run,
    passed: count("passed"),
    failed: count("failed", "missed"),
    skipped: count("skipped"),
    failures,
  };
}

export async function writeReport(path: string, report: TckReport): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** The runs as a table, and under it what is worse and why. */
export function tableOf({ runs, worse }: TckReport): string {
  const rows = runs.map((run) => [
    run.sut,
    run.store,
    run.transports.join(" + "),
    ...[run.passed, run.failed, run.skipped].map(String),
    String(worse.filter((test) => isOf(test, run)).length),
  ]);
  const head = ["agent", "store", "transports", "passed", "failed", "skipped", "worse"];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  const told = worse.map(
    ({ sut, store, transports, test, is, why }) =>
      `WORSE  ${sut} on ${store}, ${transports.join(" + ")}: ${test} (${is})\n       ${why}`,
  );
  return [line(head), line(rule), ...rows.map(line), ...told].join("\n");
}

function isOf(one: Pick<KitRun, "sut" | "store" | "transports">, other: KitRun): boolean {
  return one.sut === other.sut && one.store === other.store && one.transports === other.transports;
}
