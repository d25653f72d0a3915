// How much memory a merge takes above the parsed snapshot: measured in a process of its own, whose
// high-water mark nothing else has raised.

import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { mergeResults, type SnapshotResults } from "skein-results";

import { rounded, type BenchRow } from "./compare.js";
import { snapshotEntries } from "./snapshot-entries.js";

/** Set in the process that measures. */
const MEASURING = "SKEIN_BENCH_MERGE_MEMORY";
const ENTRIES = 100_000;

interface Measured {
  textBytes: number;
  aboveBytes: number;
}

/** Peak resident memory of the merge above the parsed snapshot, over the snapshot's text. */
export async function mergeMemoryBench(program: string): Promise<BenchRow> {
  const child = fork(program, { env: { ...process.env, [MEASURING]: "1" } });
  const [message] = (await once(child, "message")) as [Measured];
  const ratio = rounded(message.aboveBytes / message.textBytes);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  return {
    name: "merge-memory-100k",
    ratio,
    goal: 1.5,
    spread: [ratio, ratio],
    detail: `peak above the parsed snapshot ${megabytes(message.aboveBytes)}, its text ${megabytes(message.textBytes)}, one process`,
  };
}

/** True in the process that measures, which has then told its parent and is done. */
export function measureMergeMemory(): boolean {
  if (process.env[MEASURING] === undefined) return false;
  const text = JSON.stringify(snapshotEntries(ENTRIES));
  const results = JSON.parse(text) as SnapshotResults;
  const before = highWaterMark();
  const attached = mergeResults({ results });
  const aboveBytes = highWaterMark() - before;
  if (attached.length !== ENTRIES) throw new Error("The merge lost entries.");
  const measured: Measured = { textBytes: Buffer.byteLength(text), aboveBytes };
  process.send?.(measured);
  return true;
}

/** The peak of the resident memory of this process so far. */
function highWaterMark(): number {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

export const programOf = (moduleUrl: string) => fileURLToPath(moduleUrl);
