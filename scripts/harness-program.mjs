// Sets up, builds, and runs a program of the harness: `npm run reproduce [-- --postgres]`, and
// `npm run bench`. The exit code is the program's.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { ROOT, run, step } from "./process.mjs";
import { setup } from "./setup.mjs";

const [entry, ...args] = process.argv.slice(2);
await setup();
run(process.execPath, [join(ROOT, "scripts", "build.mjs")]);
const bundled = await step(`compiling ${entry}`, async () => {
  const { bundleHarness } = await import("./bundle-harness.mjs");
  return bundleHarness(entry);
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", bundled, ...args], {
  cwd: join(ROOT, "js-harness"),
  stdio: "inherit",
});
process.exitCode = status ?? 1;
