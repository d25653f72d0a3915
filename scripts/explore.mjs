// `npm run explore [-- --attempts N --mishaps N --events N]`: walks through every order of events and
// writes what it found to js-harness/reports/explore.json.

import { spawn } from "node:child_process";

import { Failure, main } from "./process.mjs";
import { lastLine, writeReport } from "./report.mjs";
import { requireRust } from "./toolchain.mjs";

const PROGRAM = ["--profile", "explore", "--features", "explore", "--example", "explore"];

await main(async () => {
  requireRust();
  const child = spawn("cargo", ["run", "--quiet", ...PROGRAM, "--", ...process.argv.slice(2)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  const status = await new Promise((resolve, reject) => {
    child.on("error", () => reject(new Failure("cargo could not be started.")));
    child.on("close", resolve);
  });
  if (!output) throw new Failure("The exploration did not begin.");
  writeReport("explore", JSON.parse(lastLine(output)));
  process.exitCode = status === 0 ? 0 : 1;
});
