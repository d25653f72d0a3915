// A copy of the built package whose module traps at a call of our choice, once, as a panic in the rules would.

import { openChangedPackage, type ChangedPackage } from "./changed-package.js";

/** How the module of an instance is armed. */
interface Instance {
  trapAt: WebAssembly.Global<"i32">;
  hasTrapped: WebAssembly.Global<"i32">;
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
}

/** The copy. */
export interface TrappingPackage extends ChangedPackage<Instance> {
  /** The calls that it can trap at: those of the module's imports. */
  calls: readonly string[];
  /** The next such call traps; answers how to ask whether it has. */
  trapAt(call: string): () => boolean;
  /** No call of the present instance traps. */
  disarm(): void;
}

/** Out of reach of every call. */
const NOWHERE = -1;

export async function openTrappingPackage(): Promise<TrappingPackage> {
  let calls: readonly string[] = [];
  const changed = await openChangedPackage<Instance>((source) => {
    const trapping = withTraps(source);
    ({ calls } = trapping);
    return trapping.module;
  });
  return {
    ...changed,
    calls,
    trapAt: (call) => {
      const { trapAt, hasTrapped } = changed.instance();
      trapAt.value = calls.indexOf(call);
      hasTrapped.value = 0;
      return () => hasTrapped.value === 1;
    },
    disarm: () => {
      changed.instance().trapAt.value = NOWHERE;
    },
  };
}

/** The module with a trap before each call of an import, and the imports' names. */
function withTraps(source: string): { module: string; calls: readonly string[] } {
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
  return {
    module: redirected.replace(/\)\s*$/, `${added.join("\n")}\n)\n`),
    calls: named.map(({ name }) => name),
  };
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
