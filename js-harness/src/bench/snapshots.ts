// Import and export of results, against the same written in plain TypeScript.

import { mergeResults, resultMethods, type ResultTexts } from "skein-results";
import { memoryDriver } from "skein-results/memory";

import { compare, type BenchRow } from "./compare.js";
import { plainExport, plainMerge } from "./plain-typescript.js";
import { runId, snapshotEntries } from "./snapshot-entries.js";

const GOAL = 1.3;

export async function snapshotBenches(): Promise<BenchRow[]> {
  return [
    await mergeBench("merge-10k", 10_000, 25),
    await mergeBench("merge-100k", 100_000, 7),
    await exportBench(),
  ];
}

async function mergeBench(name: string, count: number, rounds: number): Promise<BenchRow> {
  const results = snapshotEntries(count);
  const known = new Set(results.map(([id]) => id));
  const knows = (id: string) => known.has(id);
  return compare({
    name,
    goal: GOAL,
    ours: () => mergeResults({ results }, knows),
    theirs: () => plainMerge(results, knows),
    what: `${count} entries of 1 kB, serialization included`,
    rounds,
  });
}

async function exportBench(): Promise<BenchRow> {
  const count = 100_000;
  const runs = new Map(
    Array.from({ length: count }, (_, index) => [runId(index), { status: "success" as const }]),
  );
  const methods = resultMethods(memoryDriver({ runs }));
  const entries = mergeResults({ results: snapshotEntries(count) });
  await methods.attachResults(entries);
  const stored = new Map<string, ResultTexts>(entries);
  const ids = [...runs.keys()];
  return compare({
    name: "export-100k",
    goal: GOAL,
    ours: () => methods.exportResults(ids),
    theirs: () => plainExport(stored),
    what: `${count} results of 1 kB as entries of a snapshot`,
    rounds: 7,
  });
}
