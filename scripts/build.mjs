// Builds the npm package and puts it where the harness imports it:
// cargo -> wasm-bindgen -> wasm-opt -> tsc (ESM, types) -> esbuild (CommonJS) -> npm pack -> unpack.
//
// Nothing is done again while the inputs are unchanged. Called by `npm run build`, Nx and the tests.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";

import { build as bundle } from "esbuild";

import { contentHash } from "./content-hash.mjs";
import { exclusively } from "./lock.mjs";
import { capture, main, ROOT, run, step } from "./process.mjs";
import { requireWasmBindgen } from "./toolchain.mjs";

const PKG = join(ROOT, "pkg");
const DIST = join(PKG, "dist");
const TARGET = join(ROOT, "target");
const GLUE = join(TARGET, "glue");
const PACKED = join(TARGET, "package");
const INSTALLED = join(ROOT, "js-harness", "node_modules", "skein-results");
const STAMP = join(INSTALLED, ".built-from");

// What rustc 1.95 emits for wasm32-unknown-unknown, named so that wasm-opt accepts no other.
const WASM_FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "call-indirect-overlong",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

async function build() {
  const hash = contentHash(ROOT, [
    "README.md",
    "LICENSE",
    "Cargo.toml",
    "Cargo.lock",
    "tsconfig.base.json",
    "package-lock.json",
    "src",
    "pkg/package.json",
    "pkg/tsconfig.json",
    "pkg/src",
    "pkg/migrations",
    "scripts/build.mjs",
  ]);
  if (isBuiltFrom(hash)) return;

  const wasmBindgen = requireWasmBindgen();
  // A build that is broken off must not pass for one that is done.
  rmSync(STAMP, { force: true });
  rmSync(DIST, { recursive: true, force: true });
  await step("building the WebAssembly module", () => buildWasm(wasmBindgen));
  await step("compiling the TypeScript", compileTypeScript);
  await step("writing the CommonJS form", writeCommonJs);
  await step("packing and unpacking for the harness", install);
  writeFileSync(STAMP, hash);
}

/** The tarball is looked for, too: the packaging tests install it. */
function isBuiltFrom(hash) {
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== hash) return false;
  return existsSync(PACKED) && readdirSync(PACKED).some((file) => file.endsWith(".tgz"));
}

async function buildWasm(wasmBindgen) {
  // The target folder is named, since the user's settings may name another.
  const cargo = ["build", "--release", "--lib", "--quiet", `--target-dir=${TARGET}`];
  run("cargo", [...cargo, "--target=wasm32-unknown-unknown"], {
    env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: rustFlags() },
  });
  rmSync(GLUE, { recursive: true, force: true });
  run(wasmBindgen, [
    join(TARGET, "wasm32-unknown-unknown", "release", "skein_results.wasm"),
    "--target=web",
    "--omit-default-module-path",
    // An instance that has trapped is replaced; see pkg/src/wasm/instance.ts.
    "--experimental-reset-state-function",
    "--no-typescript",
    "--remove-name-section",
    "--remove-producers-section",
    `--out-dir=${GLUE}`,
    "--out-name=glue",
  ]);
  mkdirSync(join(DIST, "wasm"), { recursive: true });
  run(join(ROOT, "node_modules", ".bin", "wasm-opt"), [
    join(GLUE, "glue_bg.wasm"),
    "--mvp-features",
    ...WASM_FEATURES.map((feature) => `--enable-${feature}`),
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
    // The second makes smaller what the first has made fast.
    "-O3",
    "-Os",
    "-o",
    join(DIST, "wasm", "skein_results.wasm"),
  ]);
  for (const [format, extension] of [
    ["esm", "js"],
    ["cjs", "cjs"],
  ]) {
    await bundle({
      entryPoints: [join(GLUE, "glue.js")],
      bundle: true,
      format,
      platform: "neutral",
      target: "es2022",
      outfile: join(DIST, "wasm", `glue.${extension}`),
      logLevel: "warning",
      // The glue names a module once for each function of it that needs no adapter.
      logOverride: { "duplicate-object-key": "silent" },
    });
  }
}

/**
 * No path of this machine may stand in the shipped file, not even in a panic's location. In the
 * encoded form of RUSTFLAGS, in which a path may hold spaces.
 */
function rustFlags() {
  const cargoHome = process.env.CARGO_HOME || join(homedir(), ".cargo");
  const sysroot = capture("rustc", ["--print", "sysroot"]);
  const mapped = [
    [ROOT, "skein-results"],
    [cargoHome, "cargo"],
    [sysroot, "rust"],
  ].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const own =
    process.env.CARGO_ENCODED_RUSTFLAGS ??
    (process.env.RUSTFLAGS ?? "").split(/\s+/).filter(Boolean).join("\x1f");
  return [...(own ? [own] : []), ...mapped].join("\x1f");
}

function compileTypeScript() {
  run(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", "pkg/tsconfig.json"]);
  // Written by hand, so the compiler takes it as given and emits nothing for it.
  cpSync(join(PKG, "src", "wasm", "glue.d.ts"), join(DIST, "wasm", "glue.d.ts"));
}

/** Each module becomes one of its own, so that all entries share one instance. */
async function writeCommonJs() {
  for (const module of filesUnder(DIST)) {
    if (!module.endsWith(".js") || module.endsWith("glue.js")) continue;
    const knowsItsUrl = readFileSync(module, "utf8").includes("import.meta.url");
    await bundle({
      entryPoints: [module],
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node20",
      outfile: module.replace(/\.js$/, ".cjs"),
      ...(knowsItsUrl ? MODULE_URL : {}),
      logLevel: "warning",
      plugins: [keepModulesApart],
    });
  }
  for (const types of filesUnder(DIST).filter((file) => file.endsWith(".d.ts"))) {
    const text = readFileSync(types, "utf8");
    const commonJs = text.replace(/(from\s+"|import\(")(\.{1,2}\/[^"]+)\.js"/g, '$1$2.cjs"');
    writeFileSync(types.replace(/\.d\.ts$/, ".d.cts"), commonJs);
  }
}

/** What `import.meta.url` is in CommonJS. */
const MODULE_URL = {
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
};

const keepModulesApart = {
  name: "keep-modules-apart",
  setup(builder) {
    builder.onResolve({ filter: /.*/ }, ({ kind, path }) => {
      if (kind === "entry-point") return undefined;
      return { path: path.startsWith(".") ? path.replace(/\.js$/, ".cjs") : path, external: true };
    });
  },
};

function install() {
  cpSync(join(ROOT, "LICENSE"), join(PKG, "LICENSE"));
  cpSync(join(ROOT, "README.md"), join(PKG, "README.md"));
  rmSync(PACKED, { recursive: true, force: true });
  mkdirSync(PACKED, { recursive: true });
  // From inside the folder: npm reads a "#" in a path that it is given as the start of a branch.
  run("npm", ["pack", "--loglevel=error", "--ignore-scripts", `--pack-destination=${PACKED}`], {
    cwd: PKG,
    stdout: "ignore",
  });
  const [tarball] = readdirSync(PACKED);
  run("tar", ["-xzf", join(PACKED, tarball), "-C", PACKED]);
  // Replaced by renames, so that no test ever imports half a package.
  const replaced = join(PACKED, "replaced");
  mkdirSync(join(INSTALLED, ".."), { recursive: true });
  if (existsSync(INSTALLED)) renameSync(INSTALLED, replaced);
  renameSync(join(PACKED, "package"), INSTALLED);
  rmSync(replaced, { recursive: true, force: true });
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort((a, b) => relative(folder, a).localeCompare(relative(folder, b)));
}

await main(() => exclusively("build", build));
