// How much memory a merge takes above the parsed snapshot.

import { mergeResults, type SnapshotResults } from "skein-results";

import { rounded, type BenchRow } from "./compare.js";
import { highWaterMark, measuredIn, megabytes } from "./high-water.js";
import { snapshotEntries } from "./snapshot-entries.js";

const ENTRIES = 100_000;

interface Measured {
  textBytes: number;
  aboveBytes: number;
}

/** Peak resident memory of the merge above the parsed snapshot, over the snapshot's text. */
export async function mergeMemoryBench(program: string): Promise<BenchRow> {
  const { textBytes, aboveBytes } = await measuredIn<Measured>(program, "merge");
  const ratio = rounded(aboveBytes / textBytes);
  return {
    name: "merge-memory-100k",
    ratio,
    goal: 1.5,
    spread: [ratio, ratio],
    detail: `peak above the parsed snapshot ${megabytes(aboveBytes)}, its text ${megabytes(textBytes)}, one process`,
  };
}

/** Measures in the process made for it. */
export function measureMerge(): Measured {
  const text = JSON.stringify(snapshotEntries(ENTRIES));
  const results = JSON.parse(text) as SnapshotResults;
  const before = highWaterMark();
  const attached = mergeResults({ results });
  const aboveBytes = highWaterMark() - before;
  if (attached.length !== ENTRIES) throw new Error("The merge lost entries.");
  return { textBytes: Buffer.byteLength(text), aboveBytes };
}
