// The Rust tools beside cargo: found on the machine if they have the right version, else installed
// into a cache of their own, which leaves the user's tools alone and serves every clone.

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

import { capture, Failure, ROOT, run, step } from "./process.mjs";

const WASM_PACK_VERSION = "0.15.1";
const TARGET = "wasm32-unknown-unknown";

/** The version of wasm-bindgen in Cargo.lock: the tool that writes the glue must be the same. */
function wasmBindgenVersion() {
  const lock = readFileSync(join(ROOT, "Cargo.lock"), "utf8");
  const found = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock);
  if (!found) throw new Failure("Cargo.lock names no wasm-bindgen.");
  return found[1];
}

function tools() {
  return [
    // Without --locked: the lock file inside the crate does not build with a current compiler.
    {
      crate: "wasm-bindgen-cli",
      program: "wasm-bindgen",
      version: wasmBindgenVersion(),
      flags: [],
    },
    { crate: "wasm-pack", program: "wasm-pack", version: WASM_PACK_VERSION, flags: ["--locked"] },
  ];
}

/** Where a version of a tool is kept, for every clone on this machine. */
export function cacheFolder({ crate, version }) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "skein-results", `${crate}-${version}`);
}

/** The path of a tool of exactly its version, or null. */
function find(tool) {
  const cached = join(cacheFolder(tool), "bin", tool.program);
  const { program, version, ask } = tool;
  return [program, cached].find((path) => versionOf(path, ask) === version) ?? null;
}

function versionOf(path, ask = ["--version"]) {
  return capture(path, ask)?.split(" ")[1] ?? null;
}

/** Fails where there is no Rust, or one that cannot be given its target: the user has to bring it. */
export function requireRust() {
  if (!capture("cargo", ["--version"])) {
    throw new Failure(
      "Rust is not installed: no `cargo` was found. Install rustup (https://rustup.rs) and run this again.",
    );
  }
  if (!hasTarget() && !capture("rustup", ["--version"])) {
    throw new Failure(
      `Rust lacks the target ${TARGET}. Install it as you installed Rust, or install rustup (https://rustup.rs), and run this again.`,
    );
  }
}

/** Whether all that `ensureToolchain` installs is there. */
export function hasToolchain() {
  return hasTarget() && tools().every(find);
}

/** Installs what is missing: the compilation target, and the tools at their versions. */
export async function ensureToolchain() {
  if (!hasTarget()) {
    await step(`adding the Rust target ${TARGET}`, () => run("rustup", ["target", "add", TARGET]));
  }
  for (const tool of tools()) await ensureTool(tool);
}

/** Installs a tool if this version of it is not there, and answers its path. */
export async function ensureTool(tool) {
  const found = find(tool);
  if (found) return found;
  const { crate, version, flags } = tool;
  await step(`installing ${crate} ${version} (minutes, once per machine)`, () =>
    run("cargo", [
      "install",
      crate,
      "--version",
      version,
      "--root",
      cacheFolder(tool),
      "--quiet",
      ...flags,
    ]),
  );
  return requirePath(tool);
}

function requirePath(tool) {
  const path = find(tool);
  if (path) return path;
  const { program, version } = tool;
  throw new Failure(
    `${program} ${version} was installed, and does not say that it is that version.`,
  );
}

function hasTarget() {
  const libraries = capture("rustc", ["--print", "target-libdir", "--target", TARGET]);
  return libraries !== null && existsSync(libraries);
}

/** The path of wasm-bindgen; refuses one that differs from Cargo.lock. */
export function requireWasmBindgen() {
  return requireTool("wasm-bindgen");
}

/** The environment in which wasm-pack finds the pinned tools and downloads none. */
export function toolEnvironment() {
  const folders = tools().map((tool) => join(cacheFolder(tool), "bin"));
  const binaryen = join(ROOT, "node_modules", ".bin");
  return { ...process.env, PATH: [...folders, binaryen, process.env.PATH].join(delimiter) };
}

function requireTool(program) {
  const tool = tools().find((candidate) => candidate.program === program);
  const path = find(tool);
  if (path) return path;
  const found = versionOf(program) ?? "none";
  throw new Failure(
    `${program} ${tool.version} is needed, as in Cargo.lock; found: ${found}. Run \`npm run setup\`.`,
  );
}
