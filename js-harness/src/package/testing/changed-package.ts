// A copy of the built package whose module has been changed, with an instance of its own.

import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

type Package = typeof import("skein-results");

/** The copy, of which an instance has these exports. */
export interface ChangedPackage<Exports> {
  rules: Package;
  /** The present instance. */
  instance(): Exports;
  remove(): Promise<void>;
}

/** Those of the built module; the others would have it written in forms that no engine reads yet. */
const FEATURES = [
  "bulk-memory",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
].map((feature) => `--enable-${feature}`);

/** @param change what the module is instead, both as WebAssembly's text */
export async function openChangedPackage<Exports extends object>(
  change: (module: string) => string,
): Promise<ChangedPackage<Exports>> {
  const folder = await mkdtemp(join(tmpdir(), "skein-changed-"));
  const entry = createRequire(import.meta.url).resolve("skein-results");
  await cp(dirname(dirname(entry)), folder, { recursive: true, dereference: true });
  await rewrite(join(folder, "dist", "wasm", "skein_results.wasm"), change);
  const imported = (...path: string[]): Promise<unknown> =>
    import(pathToFileURL(join(folder, "dist", ...path)).href);
  const rules = (await imported("index.js")) as Package;
  const glue = (await imported("wasm", "glue.js")) as { initSync: (source: object) => Exports };
  return {
    rules,
    // It answers the instance that there is, and makes no other.
    instance: () => glue.initSync({}),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function rewrite(module: string, change: (source: string) => string): Promise<void> {
  const text = `${module}.wat`;
  binaryen("wasm-dis", "--all-features", module, "-o", text);
  const source = await readFile(text, "utf8");
  const changed = change(source);
  if (changed === source) throw new Error("The change does not find its place in the module.");
  await writeFile(text, changed);
  binaryen("wasm-as", ...FEATURES, text, "-o", module);
}

function binaryen(tool: string, ...given: string[]): void {
  const manifest = createRequire(import.meta.url).resolve("binaryen/package.json");
  execFileSync(process.execPath, [join(dirname(manifest), "bin", tool), ...given]);
}
