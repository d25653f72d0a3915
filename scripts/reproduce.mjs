// `npm run reproduce [-- --postgres]`: sets up, builds, and runs the main job with and without the
// package. The exit code is the reproducer's.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { ROOT, run, step } from "./process.mjs";
import { setup } from "./setup.mjs";

await setup();
run(process.execPath, [join(ROOT, "scripts", "build.mjs")]);
const bundled = await step("compiling the reproducer", async () => {
  const { bundleHarness } = await import("./bundle-harness.mjs");
  return bundleHarness("src/interop/reproduce.ts");
});
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", bundled, ...process.argv.slice(2)],
  {
    cwd: join(ROOT, "js-harness"),
    stdio: "inherit",
  },
);
process.exitCode = status ?? 1;
