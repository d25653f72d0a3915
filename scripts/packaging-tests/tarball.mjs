// The packed package, installed into an empty folder as its users install it.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ROOT } from "../process.mjs";

/** The folder of the package as `npm pack` made it and `scripts/build.mjs` unpacked it. */
export const UNPACKED = join(ROOT, "js-harness", "node_modules", "skein-results");

/** What the package and its users need at run time; taken from the repository's own modules. */
const BESIDE = ["@a2a-js", "@langchain", "better-sqlite3", "pg", "@types", "typescript"];

/** A project in a folder of its own, in which the package is installed. */
export class Project {
  constructor(name = "skein-packaging-") {
    this.parent = mkdtempSync(join(tmpdir(), "skein-packaging-"));
    this.folder = join(this.parent, name);
    const modules = join(this.folder, "node_modules");
    mkdirSync(modules, { recursive: true });
    cpSync(UNPACKED, join(modules, "skein-results"), { recursive: true });
    for (const beside of BESIDE)
      symlinkSync(join(ROOT, "node_modules", beside), join(modules, beside));
    this.write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  }

  write(file, text) {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs a program of the project and answers what it prints; fails with its errors. */
  run(...args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: "utf8",
    });
    if (status !== 0)
      throw new Error(`${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout.trim();
  }

  remove() {
    rmSync(this.parent, { recursive: true });
  }
}

/** Every file below a folder, by its path from there. */
export function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1));
}
