// Sets up all that the commands of the README need on a machine with Node and Rust, and nothing twice.

import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ROOT, run, step } from "./process.mjs";
import { ensureToolchain } from "./toolchain.mjs";

const LOCK = join(ROOT, "package-lock.json");
const INSTALLED_LOCK = join(ROOT, "node_modules", ".package-lock.json");

/** Packages whose install script makes what they need; npm may have been told not to run those. */
const BUILT_AT_INSTALL = ["better-sqlite3", "esbuild"];

/** Brings the machine to where the package can be built and tested. */
export async function setup() {
  requireNode();
  if (!isInstalled()) {
    await step("installing the npm packages", () =>
      run("npm", ["ci", "--no-audit", "--no-fund", "--silent"]),
    );
  }
  for (const name of BUILT_AT_INSTALL) {
    if (loads(name)) continue;
    await step(`building ${name}`, () => run("npm", ["rebuild", name, "--silent"]));
    if (!loads(name)) {
      throw new Error(
        `${name} was not built. Let npm run its install script: see \`npm config get ignore-scripts\`.`,
      );
    }
  }
  await ensureToolchain();
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Node 20.19 or newer is needed; this is ${process.versions.node}.`);
}

/** npm writes its own lock file after an install; it is older than ours where ours has changed. */
function isInstalled() {
  if (!existsSync(INSTALLED_LOCK)) return false;
  if (statSync(INSTALLED_LOCK).mtimeMs >= statSync(LOCK).mtimeMs) return true;
  // A checkout touches files without changing them.
  return sameVersions(readPackages(LOCK), readPackages(INSTALLED_LOCK));
}

function readPackages(lock) {
  return JSON.parse(readFileSync(lock, "utf8")).packages;
}

function sameVersions(wanted, installed) {
  return Object.entries(wanted).every(
    ([path, { version, optional, link }]) =>
      path === "" ||
      link ||
      !path.startsWith("node_modules/") ||
      optional ||
      installed[path]?.version === version,
  );
}

function loads(name) {
  try {
    const loaded = createRequire(join(ROOT, "package.json"))(name);
    if (name === "better-sqlite3") new loaded(":memory:").close();
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup();
