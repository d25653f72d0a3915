// The packed package loads wherever Node loads a package.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { build as bundleByEsbuild } from "esbuild";
import { build as bundleByVite } from "vite";

import { ENTRIES, Project } from "./tarball.mjs";

/** Records, reads and refuses, with an API that was loaded somehow. */
const USE = `
async function use({ resultMethods, isSkeinResultsError }, { memoryDriver }) {
  const runs = new Map([["r", { status: "running" }]]);
  const methods = resultMethods(memoryDriver({ runs }));
  await methods.recordResult("r", { values: { answer: 42 } });
  await methods.recordResult("r", { values: "late" });
  const refused = await methods.recordResult("r", { values: 5n }).catch((error) => error);
  const known = isSkeinResultsError(refused) && refused.code;
  return JSON.stringify([await methods.getResult("r"), known, refused.cause instanceof TypeError]);
}
`;
const USED = '[{"values":{"answer":42}},"not_serializable",true]';

const IMPORTS = `
import * as root from "skein-results";
import * as memory from "skein-results/memory";
`;

let project;
before(() => {
  project = new Project("a folder with spaces # and 100%");
});
after(() => project.remove());

test("by import", () => {
  project.write("esm.mjs", `${IMPORTS}${USE}console.log(await use(root, memory));`);
  assert.equal(project.run("esm.mjs"), USED);
});

test("by require", () => {
  project.write(
    "cjs.cjs",
    `${USE}use(require("skein-results"), require("skein-results/memory")).then(console.log);`,
  );
  assert.equal(project.run("cjs.cjs"), USED);
});

test("by both in one process, where an error of one is recognised by the other", () => {
  project.write(
    "both.mjs",
    `import { createRequire } from "node:module";
    ${IMPORTS}${USE}
    const require = createRequire(import.meta.url);
    const other = require("skein-results");
    const otherMemory = require("skein-results/memory");
    if (other.SkeinResultsError === root.SkeinResultsError) throw new Error("one copy only");
    const thrown = await root.resultMethods(memory.memoryDriver({ runs: new Map() }))
      .recordResult("r", {}).catch((error) => error);
    const recognised = other.isSkeinResultsError(thrown) && thrown.code === "invalid_result";
    console.log(await use(root, memory) === await use(other, otherMemory), recognised);`,
  );
  assert.equal(project.run("both.mjs"), "true true");
});

test("in a worker thread", () => {
  project.write(
    "worker.mjs",
    `import { parentPort } from "node:worker_threads";${IMPORTS}${USE}parentPort.postMessage(await use(root, memory));`,
  );
  project.write(
    "main.mjs",
    `import { Worker } from "node:worker_threads";
    new Worker(new URL("./worker.mjs", import.meta.url)).on("message", console.log);`,
  );
  assert.equal(project.run("main.mjs"), USED);
});

test("with every entry, in both forms", () => {
  project.write(
    "entries.mjs",
    `import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    for (const entry of ${JSON.stringify(ENTRIES)}) {
      const [esm, cjs] = [Object.keys(await import(entry)), Object.keys(require(entry))];
      if (esm.length === 0 || esm.join() !== cjs.sort().join()) throw new Error(entry + ": " + esm + " / " + cjs);
    }
    console.log("same");`,
  );
  assert.equal(project.run("entries.mjs"), "same");
});

/** Bundlers of the repository's own, from the user's folder: the package is what they are given. */
const APP = `${IMPORTS}${USE}console.log(await use(root, memory));`;

test("in a bundle of esbuild, for a server that has the WebAssembly file beside it", async () => {
  project.write("app.mjs", APP);
  await bundleByEsbuild({
    absWorkingDir: project.folder,
    entryPoints: ["app.mjs"],
    outfile: "esbuild/app.mjs",
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  project.copyModule("esbuild");
  assert.equal(project.run("esbuild/app.mjs"), USED);
});

test("in a bundle of vite, for a server that has the WebAssembly file beside it", async () => {
  project.write("app.mjs", APP);
  await bundleByVite({
    root: project.folder,
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true },
    build: { ssr: "app.mjs", outDir: "vite", target: "node20", emptyOutDir: true },
  });
  project.copyModule("vite");
  assert.equal(project.run("vite/app.js"), USED);
});

test("in a test of vitest", (context) => {
  // In a folder without a hash: vitest does not find its own test files under one.
  const plain = new Project("a folder with spaces");
  context.after(() => plain.remove());
  plain.write(
    "user.test.mjs",
    `import { expect, it } from "vitest";${IMPORTS}${USE}
    it("works", async () => expect(await use(root, memory)).toBe(${JSON.stringify(USED)}));`,
  );
  assert.match(plain.run("node_modules/vitest/vitest.mjs", "run"), /Tests +1 passed/);
});
