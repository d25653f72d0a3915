// `npm test`: the one-command set-up, then every check and every test. Ends with one line that counts
// the tests, and fails if a part failed, or ran no test where it should.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { findBrowser } from "./browser.mjs";
import { main, ROOT } from "./process.mjs";
import { setup } from "./setup.mjs";
import { countCargo, countNode, countVitest } from "./test-counts.mjs";
import { toolEnvironment } from "./toolchain.mjs";

const BIN = join(ROOT, "node_modules", ".bin");
const WASM = ["--target", "wasm32-unknown-unknown", "--features", "browser-tests"];
const browser = findBrowser();

/** The parts in order; one with `count` must run at least one test. */
const PARTS = [
  ["build", process.execPath, ["scripts/build.mjs"]],
  ["rustfmt", "cargo", ["fmt", "--check"]],
  [
    "clippy",
    "cargo",
    ["clippy", "--quiet", "--all-targets", "--features", "explore", "--", "-D", "warnings"],
  ],
  [
    "clippy for WebAssembly",
    "cargo",
    ["clippy", "--quiet", "--all-targets", ...WASM, "--", "-D", "warnings"],
  ],
  ["prettier", join(BIN, "prettier"), ["--check", "--log-level=warn", "."]],
  ["eslint", join(BIN, "eslint"), [".", "--max-warnings=0"]],
  ["types of the package", join(BIN, "tsc"), ["-p", "pkg/tsconfig.json", "--noEmit"]],
  ["types of the harness", join(BIN, "tsc"), ["-p", "js-harness/tsconfig.json"]],
  ["Rust", "cargo", ["test", "--quiet"], countCargo],
  ["WebAssembly boundary", "wasm-pack", ["test", "--node"], countCargo],
  ...(browser ? [["WebAssembly in a browser", "wasm-pack", browser, countCargo]] : []),
  [
    "packaging",
    process.execPath,
    ["--test", "--test-reporter=tap", ...testFiles("scripts/packaging-tests")],
    countNode,
  ],
  ["harness", join(BIN, "nx"), ["test", "agent-protocol", "--args=run"], countVitest],
];

await main(async () => {
  await setup();
  if (!browser) {
    process.stdout.write(
      "\nchromium and chromedriver are not installed: the tests in a real browser are LEFT OUT.\n",
    );
  }
  let passed = 0;
  let failed = 0;
  let broken = 0;
  for (const [name, program, args, count] of PARTS) {
    process.stdout.write(`\n== ${name}\n`);
    const started = Date.now();
    const { status, output } = await runPart(program, args);
    const counted = count?.(output) ?? { passed: 0, failed: 0 };
    const ranNone = count !== undefined && counted.passed + counted.failed === 0;
    const isBroken = status !== 0 || ranNone;
    if (isBroken) broken += 1;
    passed += counted.passed;
    // What fails without a failed test counts as one, so that the line never looks better than it is.
    failed += isBroken ? Math.max(counted.failed, 1) : counted.failed;
    const verdict = ranNone ? "ran no test" : isBroken ? "FAILED" : "ok";
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `== ${name}: ${verdict} in ${seconds} s${count ? `, ${counted.passed} passed` : ""}\n`,
    );
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = broken === 0 ? 0 : 1;
});

/** One by one, since Node 20 takes a folder and no pattern, and Node 22 a pattern and no folder. */
function testFiles(folder) {
  return readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith(".test.mjs"))
    .map((file) => join(folder, file));
}

/** Runs a part, shows what it prints, and keeps it to be counted. */
function runPart(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...toolEnvironment(), NX_TUI: "false", NO_COLOR: "1", FORCE_COLOR: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (target) => (chunk) => {
      output += chunk;
      target.write(chunk);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}
