// The reports of the commands, read by people and by whatever collects them.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes `reports/<name>.json` in the harness's folder, in which its commands run. */
export async function writeReport(name: string, report: object): Promise<void> {
  const folder = join(process.cwd(), "reports");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  console.log(`report: js-harness/reports/${name}.json`);
}
