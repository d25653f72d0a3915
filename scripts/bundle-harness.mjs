// Compiles a program of the harness into one file that Node runs. Packages stay outside.

import { renameSync } from "node:fs";
import { basename, join } from "node:path";

import { build } from "esbuild";

import { ROOT } from "./process.mjs";

const HARNESS = join(ROOT, "js-harness");

/** Bundles `entry`, a path below js-harness, and answers the path of the program. */
export async function bundleHarness(entry) {
  const program = join(HARNESS, "dist", `${basename(entry, ".ts")}.mjs`);
  const outfile = `${program}.${process.pid}`;
  await build({
    entryPoints: [join(HARNESS, entry)],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    loader: { ".sql": "text" },
    logLevel: "warning",
  });
  // Put in place in one step: another command may be starting the same program.
  renameSync(outfile, program);
  return program;
}
