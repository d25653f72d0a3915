// What is in the tarball, and what is not.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { ROOT } from "../process.mjs";

import { ENTRIES, filesOf, Project } from "./tarball.mjs";

let project;
let files;
before(() => {
  project = new Project();
  files = filesOf(project.installed);
});
after(() => project.remove());

const read = (file) => readFileSync(join(project.installed, file));

test("there is one WebAssembly module for all entries", (context) => {
  const modules = files.filter((file) => file.endsWith(".wasm"));
  assert.deepEqual(modules, ["dist/wasm/skein_results.wasm"]);
  const module = read(modules[0]);
  const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(1)} kB`;
  context.diagnostic(`${kilobytes(module)}, gzipped ${kilobytes(gzipSync(module))}`);
  assert.ok(WebAssembly.validate(module));
});

test("every file that package.json names is there", () => {
  const { exports: entries, imports, main, module, types } = JSON.parse(read("package.json"));
  const targets = [];
  const collect = (value) => {
    if (typeof value === "string") targets.push(value);
    else Object.values(value).forEach(collect);
  };
  collect([entries, imports, main, module, types]);
  for (const target of targets) {
    const path = join(project.installed, target.replace(/\*$/, ""));
    assert.ok(existsSync(path), `${target} is missing`);
  }
  const named = Object.keys(entries).filter((entry) => !/migrations|json$/.test(entry));
  assert.deepEqual(
    named.map((entry) => entry.replace(".", "skein-results")).sort(),
    [...ENTRIES].sort(),
  );
});

test("licence, README and migrations are shipped, and no source map or test is", () => {
  for (const file of [
    "LICENSE",
    "README.md",
    "migrations/sqlite/0001_run_results.sql",
    "migrations/postgres/0001_run_results.sql",
  ]) {
    assert.ok(files.includes(file), `${file} is missing`);
  }
  assert.deepEqual(
    files.filter((file) => /\.map$|\.test\.|tsconfig|\.rs$/.test(file)),
    [],
  );
});

test("no path of the machine that built it is in any file", () => {
  // "/" or a bare drive would match anything.
  const own = [ROOT, homedir(), process.env.CARGO_HOME ?? "", process.env.RUSTUP_HOME ?? ""];
  const paths = [...own.filter((path) => path.length > 3), ".cargo/registry", ".rustup/"];
  for (const file of files) {
    const text = read(file).toString("latin1");
    for (const path of paths) assert.ok(!text.includes(path), `${file} holds ${path}`);
  }
});

test("the CommonJS form uses nothing that only modules have", () => {
  for (const file of files.filter((name) => name.endsWith(".cjs"))) {
    assert.ok(!read(file).toString().includes("import.meta"), file);
  }
});

test("no database library and no server is pulled in", () => {
  const manifest = JSON.parse(read("package.json"));
  assert.equal(manifest.dependencies, undefined);
  for (const file of files.filter((name) => /^dist\/(?!a2a\/).*\.(js|cjs)$/.test(name))) {
    const text = read(file).toString();
    const imported = [
      ...text.matchAll(/^(?:import|export)\b.*?from "([^".][^"]*)"|require\("([^".][^"]*)"\)/gm),
    ];
    for (const [, esm, cjs] of imported) assert.match(esm ?? cjs, /^(node:|#load$)/, file);
  }
});
