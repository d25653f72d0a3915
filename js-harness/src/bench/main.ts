// `npm run bench`: measures side by side and writes js-harness/reports/bench.json. The report keeps the
// rows that were not measured this time.

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { captureBenches } from "./capture.js";
import { isMet, type BenchRow } from "./compare.js";
import { measuredWork } from "./high-water.js";
import { loadingBenches } from "./loading.js";
import { measureMerge, mergeMemoryBench } from "./merge-memory.js";
import { measureRecord, recordMemoryBench } from "./record-memory.js";
import { runBenches } from "./runs.js";
import { sideBySideBenches } from "./side-by-side.js";
import { snapshotBenches } from "./snapshots.js";
import { threadCopyBench } from "./thread-copy.js";

const REPORT = join(process.cwd(), "reports", "bench.json");

if (measuredWork === undefined) await main();
else
  process.send?.(await (measuredWork === "merge" ? measureMerge() : measureRecord(measuredWork)));

async function main(): Promise<void> {
  const program = fileURLToPath(import.meta.url);
  const benches: Record<string, () => Promise<BenchRow[]>> = {
    capture: captureBenches,
    runs: runBenches,
    "record-memory": async () => [await recordMemoryBench(program)],
    loading: loadingBenches,
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
