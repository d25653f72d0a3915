import { loadAtImport } from "#load";

import { fromFault, SkeinResultsError } from "../errors.js";

import * as wasm from "./glue.js";

/** The exports of the one WebAssembly module. */
export type Wasm = typeof wasm;

/** What the module can be loaded from. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

let isLoaded = loadAtImport(wasm);
let loading: Promise<unknown> | undefined;

/**
 * Loads the WebAssembly module in a browser or a bundled page; call it once, before anything else. In
 * Node it is loaded at import, and this does nothing. Calling it again changes nothing, and a load that
 * failed can be tried again.
 *
 * @param source a URL, a response, the bytes or a compiled module. Default: the file beside this one
 */
export async function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  if (isLoaded) return;
  loading ??= load(source).finally(() => {
    loading = undefined;
  });
  await loading;
}

async function load(source?: WasmSource | PromiseLike<WasmSource>): Promise<void> {
  const given = (await source) ?? new URL("./skein_results.wasm", import.meta.url);
  await wasm.default({ module_or_path: given });
  isLoaded = true;
}

/** Asks the rules; what they refuse becomes a `SkeinResultsError`. */
export function ask<T>(question: (rules: Wasm) => T): T {
  requireLoaded();
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
  requireLoaded();
  try {
    return await work(wasm);
  } catch (thrown) {
    throw fromFault(thrown);
  }
}

function requireLoaded(): void {
  if (isLoaded) return;
  throw new SkeinResultsError(
    "not_initialized",
    "The WebAssembly module is not loaded. Call `await init()` of skein-results before anything else; in Node it is loaded at import.",
  );
}
