import { readFileSync } from "node:fs";

import type * as glue from "./glue.js";

/** In Node the file is read and instantiated at import: a rule can be asked from the first line on. */
export function loadAtImport(wasm: typeof glue): boolean {
  wasm.initSync({ module: readFileSync(new URL("./skein_results.wasm", import.meta.url)) });
  return true;
}
