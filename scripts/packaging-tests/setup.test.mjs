// The one-command set-up says what a machine lacks, and sees what has changed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { ROOT } from "../process.mjs";
import { hasVersions } from "../setup.mjs";

let machine;
before(() => {
  machine = mkdtempSync(join(tmpdir(), "skein-machine-"));
});
after(() => rmSync(machine, { recursive: true }));

/** Runs a script where only these programs are on the path, each printing its text. */
function runWith(programs, ...args) {
  const path = mkdtempSync(join(machine, "path-"));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(path, name), `#!/bin/sh\necho "${text}"\n`);
    chmodSync(join(path, name), 0o755);
  }
  const cache = join(path, "cache");
  mkdirSync(cache);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: path, HOME: path, XDG_CACHE_HOME: cache },
    encoding: "utf8",
  });
  return { status, printed: stdout + stderr };
}

test("a machine without Rust is told to install rustup, and nothing else is done", () => {
  assert.deepEqual(runWith({}, "scripts/setup.mjs"), {
    status: 1,
    printed:
      "\nRust is not installed: no `cargo` was found. Install rustup (https://rustup.rs) and run this again.\n",
  });
});

test("a Rust without rustup is told which target it lacks", () => {
  const { status, printed } = runWith({ cargo: "cargo 1.95.0" }, "scripts/setup.mjs");
  assert.equal(status, 1);
  assert.match(printed, /^\nRust lacks the target wasm32-unknown-unknown\. .*rustup.*\n$/);
});

test("a wasm-bindgen other than that of Cargo.lock is refused by name", () => {
  const program = `import("./scripts/toolchain.mjs").then((tools) => tools.requireWasmBindgen())`;
  for (const [programs, found] of [
    [{ "wasm-bindgen": "wasm-bindgen 0.2.1" }, "0.2.1"],
    [{}, "none"],
  ]) {
    const { status, printed } = runWith(programs, "-e", program);
    assert.notEqual(status, 0);
    assert.match(printed, /wasm-bindgen 0\.2\.\d+ is needed, as in Cargo\.lock; found: /);
    assert.ok(printed.includes(`found: ${found}. Run \`npm run setup\`.`));
  }
});

test("packages are installed again where the lock file names another version, and only there", () => {
  const installed = { "node_modules/a": "1.0.0" };
  const isEnough = (packages) => hasVersions(packages, (path) => installed[path] ?? null);
  const workspace = {
    "": {},
    "js-harness": { version: "0.0.0" },
    "node_modules/h": { link: true },
  };
  assert.ok(isEnough({ ...workspace, "node_modules/a": { version: "1.0.0" } }));
  assert.ok(!isEnough({ "node_modules/a": { version: "1.0.1" } }));
  assert.ok(!isEnough({ "node_modules/b": { version: "1.0.0" } }));
  assert.ok(!isEnough({ "js-harness/node_modules/a": { version: "2.0.0" } }));
  assert.ok(isEnough({ "node_modules/b": { version: "1.0.0", optional: true } }));
  assert.ok(!isEnough({ "node_modules/a": { version: "2.0.0", optional: true } }));
});
