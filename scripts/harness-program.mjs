// Sets up, builds, and runs a program of the harness: `npm run reproduce [-- --postgres]`, `npm run bench`,
// and `npm run tck -- <folder of the kit>`. The exit code is the program's.

import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { main, ROOT, run } from "./process.mjs";
import { setup } from "./setup.mjs";

const [entry, ...args] = process.argv.slice(2);

await main(async () => {
  await setup();
  run(process.execPath, [join(ROOT, "scripts", "build.mjs")]);
  // Imports esbuild, which is there only now.
  const { bundleHarness } = await import("./bundle-harness.mjs");
  const program = await bundleHarness(entry);
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", program, ...args], {
    cwd: join(ROOT, "js-harness"),
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
});
