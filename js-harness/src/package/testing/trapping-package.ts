// A copy of the built package whose module traps at a call of our choice, once, as a panic in the rules would.

import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

type Package = typeof import("skein-results");

/** How the module of an instance is armed. */
interface Instance {
  trapAt: WebAssembly.Global<"i32">;
  hasTrapped: WebAssembly.Global<"i32">;
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
}

/** The copy. */
export interface TrappingPackage {
  rules: Package;
  /** The calls that it can trap at: those of the module's imports. */
  calls: readonly string[];
  /** The present instance. */
  instance(): Instance;
  /** The next such call traps; answers how to ask whether it has. */
  trapAt(call: string): () => boolean;
  /** No call of the present instance traps. */
  disarm(): void;
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
/** Out of reach of every call. */
const NOWHERE = -1;

export async function openTrappingPackage(): Promise<TrappingPackage> {
  const folder = await mkdtemp(join(tmpdir(), "skein-trapping-"));
  const entry = createRequire(import.meta.url).resolve("skein-results");
  await cp(dirname(dirname(entry)), folder, { recursive: true, dereference: true });
  const calls = await makeTrap(join(folder, "dist", "wasm", "skein_results.wasm"));
  const imported = (...path: string[]): Promise<unknown> =>
    import(pathToFileURL(join(folder, "dist", ...path)).href);
  const rules = (await imported("index.js")) as Package;
  const glue = (await imported("wasm", "glue.js")) as { initSync: (source: object) => Instance };
  // It answers the instance that there is, and makes no other.
  const instance = (): Instance => glue.initSync({});
  return {
    rules,
    calls,
    instance,
    trapAt: (call) => {
      const { trapAt, hasTrapped } = instance();
      trapAt.value = calls.indexOf(call);
      hasTrapped.value = 0;
      return () => hasTrapped.value === 1;
    },
    disarm: () => {
      instance().trapAt.value = NOWHERE;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Puts a trap before each call of an import, and answers the imports' names. */
async function makeTrap(module: string): Promise<string[]> {
  const text = `${module}.wat`;
  binaryen("wasm-dis", "--all-features", module, "-o", text);
  const source = await readFile(text, "utf8");
  const imports = [...source.matchAll(/^ \(import "[^"]*" "([^"]+)" \(func (\$\S+) (.*)\)\)$/gm)];
  const named = imports.map(([, name = "", id = "", type = ""], place) => ({
    name: `${place} ${name.replace(/^__wbg_+|_[0-9a-f]{16}$/g, "")}`,
    id,
    trap: trapBefore(id, type, place),
  }));
  const added = [
    `(global $trap_at (mut i32) (i32.const ${NOWHERE}))`,
    "(global $has_trapped (mut i32) (i32.const 0))",
    '(export "trapAt" (global $trap_at))',
    '(export "hasTrapped" (global $has_trapped))',
    ...named.map(({ trap }) => trap),
  ];
  const redirected = source.replace(
    /\((call|ref\.func) \$(fimport\$\d+)/g,
    (_whole, kind: string, id: string) => `(${kind} $trap_${id}`,
  );
  await writeFile(text, redirected.replace(/\)\s*$/, `${added.join("\n")}\n)\n`));
  binaryen("wasm-as", ...FEATURES, text, "-o", module);
  return named.map(({ name }) => name);
}

function trapBefore(id: string, type: string, place: number): string {
  const parameters = /\(param ([^)]*)\)/.exec(type)?.[1]?.split(" ") ?? [];
  const given = parameters.map((_type, index) => `(local.get ${index})`).join(" ");
  return `(func $trap_${id.slice(1)} ${type.replace(/\(type \S+\)\s*/, "")}
    (if (i32.eq (global.get $trap_at) (i32.const ${place}))
      (then
        (global.set $trap_at (i32.const ${NOWHERE}))
        (global.set $has_trapped (i32.const 1))
        (unreachable)))
    (call ${id} ${given}))`;
}

function binaryen(tool: string, ...given: string[]): void {
  const manifest = createRequire(import.meta.url).resolve("binaryen/package.json");
  execFileSync(process.execPath, [join(dirname(manifest), "bin", tool), ...given]);
}
