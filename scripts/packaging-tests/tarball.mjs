// The packed package, installed into an empty folder as its users install it.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ROOT, run } from "../process.mjs";

/** What the package and its users need beside it; taken from the repository's own modules. */
const BESIDE = ["@a2a-js", "@langchain", "@types", "typescript", "vitest"];

/** A project in a folder of its own, in which the tarball is installed. */
export class Project {
  constructor(name = "user") {
    this.parent = mkdtempSync(join(tmpdir(), "skein-packaging-"));
    this.folder = join(this.parent, name);
    /** Where the package is once it is installed. */
    this.installed = join(this.folder, "node_modules", "skein-results");
    mkdirSync(this.folder);
    this.write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
    const tarball = tarballPath();
    copyFileSync(tarball, join(this.folder, "package.tgz"));
    // The package has no dependencies, and its peers are linked below, so npm needs no registry.
    const npm = ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    run("npm", [...npm, "--loglevel=error", "./package.tgz"], {
      cwd: this.folder,
      stdout: "ignore",
    });
    for (const beside of BESIDE) {
      symlinkSync(
        join(ROOT, "node_modules", beside),
        join(this.folder, "node_modules", beside),
        "junction",
      );
    }
  }

  write(file, text) {
    writeFileSync(join(this.folder, file), text);
  }

  /** Puts the WebAssembly file into a folder of the project, where a bundle looks for it. */
  copyModule(folder) {
    const file = "skein_results.wasm";
    copyFileSync(join(this.installed, "dist", "wasm", file), join(this.folder, folder, file));
  }

  /** Runs a program of the project and answers what it prints; fails with its errors. */
  run(...args) {
    return this.runOn(process.execPath, ...args);
  }

  /** The same on another Node, by the path of its program. */
  runOn(node, ...args) {
    const { status, stdout, stderr } = spawnSync(node, args, {
      cwd: this.folder,
      encoding: "utf8",
    });
    if (status !== 0) {
      throw new Error(`${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    }
    return stdout.trim();
  }

  remove() {
    rmSync(this.parent, { recursive: true });
  }
}

/** The names by which a user imports the package. */
export const ENTRIES = [
  "skein-results",
  "skein-results/memory",
  "skein-results/sqlite",
  "skein-results/postgres",
  "skein-results/browser",
  "skein-results/a2a",
  "skein-results/conformance",
];

/** Every file below a folder, by its path from there. */
export function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
}

/** Built first, where it is not up to date. */
function tarballPath() {
  run(process.execPath, [join(ROOT, "scripts", "build.mjs")]);
  const packed = join(ROOT, "target", "package");
  const [tarball, ...others] = readdirSync(packed).filter((file) => file.endsWith(".tgz"));
  if (!tarball || others.length > 0) throw new Error(`One tarball is expected in ${packed}.`);
  return join(packed, tarball);
}
