// What the package costs before it does anything: the size of its module, and the time to load it.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { quantile, rounded, type BenchRow } from "./compare.js";

const SIZE_GOAL_KB = 70;
/** A twentieth of a second: nobody who starts a process waits for it. */
const LOAD_GOAL_MS = 50;
const ROUNDS = 15;

export async function loadingBenches(): Promise<BenchRow[]> {
  return [sizeBench(), await loadBench()];
}

function sizeBench(): BenchRow {
  const entry = fileURLToPath(import.meta.resolve("skein-results"));
  const module = readFileSync(new URL("wasm/skein_results.wasm", `file://${entry}`));
  const kilobytes = rounded(gzipSync(module, { level: 9 }).length / 1000);
  return {
    name: "wasm-gzip-kb",
    ratio: kilobytes,
    goal: SIZE_GOAL_KB,
    spread: [kilobytes, kilobytes],
    detail: `the module is ${(module.length / 1000).toFixed(1)} kB, gzipped ${kilobytes} kB`,
  };
}

/** In a fresh process each: the time of the import, which compiles and instantiates the module. */
const PROGRAM = `
const started = performance.now();
const { isTerminalRunStatus } = await import("skein-results");
isTerminalRunStatus("success");
console.log(performance.now() - started);
`;

async function loadBench(): Promise<BenchRow> {
  const run = promisify(execFile);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM]);
    times.push(Number(stdout));
  }
  const median = rounded(quantile(times, 0.5));
  return {
    name: "load-ms",
    ratio: median,
    goal: LOAD_GOAL_MS,
    spread: [rounded(quantile(times, 0.25)), rounded(quantile(times, 0.75))],
    detail: `import, compile, instantiate and a first call in a fresh Node process, median of ${ROUNDS}`,
  };
}
