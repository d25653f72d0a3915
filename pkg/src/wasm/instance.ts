import { readFileSync } from "node:fs";

import { fromFault } from "../errors.js";

import * as wasm from "./glue.js";

// Read and instantiated at import, synchronously: a rule can be asked from the first line on.
wasm.initSync({ module: readFileSync(new URL("./skein_results.wasm", import.meta.url)) });

/** The exports of the one WebAssembly module. */
export type Wasm = typeof wasm;

/** Asks the rules; what they refuse becomes a `SkeinResultsError`. */
export function ask<T>(question: (rules: Wasm) => T): T {
  try {
    return question(wasm);
  } catch (thrown) {
    throw fromFault(thrown);
  }
}

/**
 * Starts a piece of work now and answers when it is done. Everything up to the work's first promise
 * has happened when this returns.
 */
export async function perform<T>(work: (rules: Wasm) => T | PromiseLike<T>): Promise<T> {
  try {
    return await work(wasm);
  } catch (thrown) {
    throw fromFault(thrown);
  }
}
