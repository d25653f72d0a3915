// Sets up all that the commands of the README need on a machine with Node and Rust, and nothing twice.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { exclusively } from "./lock.mjs";
import { capture, Failure, main, ROOT, run, step } from "./process.mjs";
import { ensureToolchain, hasToolchain, requireRust } from "./toolchain.mjs";

/** Packages whose install script makes what they need; npm may have been told not to run those. */
const BUILT_AT_INSTALL = ["better-sqlite3", "esbuild"];

/** Brings the machine to where the package can be built and tested. */
export async function setup() {
  requireNode();
  requireRust();
  if (isInstalled() && BUILT_AT_INSTALL.every(loads) && hasToolchain()) return;
  await exclusively("setup", install);
}

async function install() {
  if (!isInstalled()) {
    await step("installing the npm packages", () => npm("ci", "--no-audit", "--no-fund"));
  }
  for (const name of BUILT_AT_INSTALL) {
    if (loads(name)) continue;
    await step(`building ${name}`, () => npm("rebuild", name));
    if (!loads(name)) {
      throw new Failure(
        `${name} was not built. Where npm is set not to run install scripts, run \`npm rebuild ${name} --ignore-scripts=false\`, and this again.`,
      );
    }
  }
  await ensureToolchain();
}

/** Quiet but for errors. Compiles against the headers beside this Node, instead of downloading them. */
function npm(...args) {
  const prefix = join(dirname(process.execPath), "..");
  const headers = existsSync(join(prefix, "include", "node", "node.h"));
  const env = headers ? { npm_config_nodedir: prefix, ...process.env } : process.env;
  run("npm", [...args, "--loglevel=error"], { env, stdout: "ignore" });
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Failure(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
}

/** npm writes its own lock file when it is done, but it has been seen to name what is not there. */
function isInstalled() {
  if (!existsSync(join(ROOT, "node_modules", ".package-lock.json"))) return false;
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return hasVersions(packages, installedVersion);
}

/**
 * Whether the packages of a lock file are there. An optional one may be left out, since it may be for
 * another machine; the root, a workspace and the link to it have no version to keep.
 */
export function hasVersions(packages, versionAt) {
  return Object.entries(packages).every(([path, { version, optional, link }]) => {
    if (link || !path.includes("node_modules/")) return true;
    const installed = versionAt(path);
    return installed === version || (optional && installed === null);
  });
}

function installedVersion(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8")).version;
  } catch {
    return null;
  }
}

/** In a process of its own: one that has met a module built for another Node never loads it again. */
function loads(name) {
  const instance = name === "better-sqlite3" ? `new loaded(":memory:").close()` : "";
  const program = `const loaded = require(${JSON.stringify(name)}); ${instance}`;
  return capture(process.execPath, ["-e", program]) !== null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(setup);
