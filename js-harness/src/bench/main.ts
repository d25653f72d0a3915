// `npm run bench`: measures side by side and writes js-harness/reports/bench.json. The report keeps the
// rows that were not measured this time.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { captureBenches } from "./capture.js";
import { isMet, type BenchRow } from "./compare.js";
import { measureMergeMemory, mergeMemoryBench, programOf } from "./merge-memory.js";
import { sideBySideBenches } from "./side-by-side.js";
import { snapshotBenches } from "./snapshots.js";
import { threadCopyBench } from "./thread-copy.js";

const REPORT = join(process.cwd(), "reports", "bench.json");

if (!measureMergeMemory()) await main();

async function main(): Promise<void> {
  const program = programOf(import.meta.url);
  const benches: Record<string, () => Promise<BenchRow[]>> = {
    capture: captureBenches,
    snapshots: snapshotBenches,
    "merge-memory": async () => [await mergeMemoryBench(program)],
    "thread-copy": async () => [await threadCopyBench()],
    "side-by-side": sideBySideBenches,
  };
  const [wanted] = process.argv.slice(2);
  const rows: BenchRow[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted === undefined || name === wanted) rows.push(...(await bench()));
  }
  await mkdir(dirname(REPORT), { recursive: true });
  const measured = new Set(rows.map(({ name }) => name));
  const kept = (await previousRows()).filter(({ name }) => !measured.has(name));
  await writeFile(REPORT, `${JSON.stringify({ rows: [...kept, ...rows] }, null, 2)}\n`);
  for (const row of rows) {
    const { name, ratio, goal, spread, interval, detail } = row;
    const verdict = isMet(row) ? "met" : "NOT MET";
    const sure = interval ? `, 95 % ${interval.join(" to ")}` : "";
    console.log(
      `${name.padEnd(20)} ${ratio.toFixed(3)} (goal ${goal}, ${verdict}; ${spread.join(" to ")}${sure})  ${detail}`,
    );
  }
}

async function previousRows(): Promise<BenchRow[]> {
  if (!existsSync(REPORT)) return [];
  return (JSON.parse(await readFile(REPORT, "utf8")) as { rows: BenchRow[] }).rows;
}
