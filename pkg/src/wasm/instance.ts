import { loadAtImport } from "#load";

import { fromFault, SkeinResultsError } from "./errors.js";

import { isEndOfStack } from "./end-of-stack.js";
import * as wasm from "./glue.js";
import { isThrownByHost, noteThrownByHost } from "./handled.js";

/** The exports of the one WebAssembly module. */
export type Wasm = typeof wasm;

/** What the module can be loaded from. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

let isLoaded = loadAtImport(wasm);
let loading: Promise<unknown> | undefined;

/** How many calls into the instance are on the stack. */
let depth = 0;
/** By what the instance was left in the middle of a call: nothing that it holds is believed any more. */
let trap: { cause: unknown } | undefined;
/** Of the last instance that was replaced. */
let lastTrap: unknown;
/** How many instances have been replaced. */
let replaced = 0;
/** How each piece of work that waits for the host is refused when its instance is replaced. */
const waiting = new Set<(reason: unknown) => void>();

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
  return entered(() => question(wasm));
}

/**
 * Starts a piece of work now and answers when it is done. Everything up to the work's first promise
 * has happened when this returns.
 */
export async function perform<T>(begin: (rules: Wasm) => wasm.Work<T>): Promise<T> {
  requireLoaded();
  let work = entered(() => begin(wasm));
  const begun = replaced;
  while (work.length === 2) {
    const [answer, step] = work;
    const tell = await settled(answer);
    if (replaced !== begun) throw internalFault(lastTrap);
    work = entered(() => {
      tell();
      return step();
    });
  }
  return work[0];
}

/**
 * Calls into the instance. One that is left in the middle of a call may hold anything: what
 * it answers is not believed, and it is replaced as soon as none of its calls is on the stack.
 *
 * @throws `internal_fault`
 */
function entered<T>(call: () => T): T {
  replaceTrapped();
  requireSound();
  requireStack(FRAMES);
  depth += 1;
  try {
    const answer = call();
    requireSound();
    return answer;
  } catch (thrown) {
    if (isTrap(thrown)) trap ??= { cause: thrown };
    requireSound();
    throw fromFault(thrown);
  } finally {
    depth -= 1;
    replaceTrapped();
  }
}

/** More than the rules take on the stack, host calls left out. */
const FRAMES = 100;

/** At the end of the stack nothing is begun: what the engine throws there must not be read as an answer. */
function requireStack(frames: number): number {
  return frames === 0 ? 0 : requireStack(frames - 1) + 1;
}

/** A call within this one or around it may have trapped, and its failure may have been swallowed since. */
function requireSound(): void {
  if (trap) throw internalFault(trap.cause);
}

/** What leaves WebAssembly without unwinding its stack. */
function isTrap(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || isThrownByHost(thrown)) return false;
  return thrown.name === "RuntimeError" || isEndOfStack(thrown) || isTooLong(thrown);
}

/** What Node throws where the rules hand over a text that the engine cannot hold. */
function isTooLong(thrown: Error): boolean {
  return "code" in thrown && thrown.code === "ERR_STRING_TOO_LONG";
}

/** Where there is no memory for a new instance, the next call tries again. */
function replaceTrapped(): void {
  if (!trap || depth > 0) return;
  const { cause } = trap;
  try {
    wasm.__wbg_reset_state();
  } catch {
    return;
  }
  trap = undefined;
  lastTrap = cause;
  replaced += 1;
  for (const refuse of waiting) refuse(internalFault(cause));
  waiting.clear();
}

function internalFault(cause: unknown): SkeinResultsError {
  return new SkeinResultsError(
    "internal_fault",
    "The rules failed inside, and were loaded anew. What was asked may or may not have been written: ask again, and report the cause.",
    { cause },
  );
}

/** Waits until the host has answered, and says how the instance is told; refused if it is replaced meanwhile. */
function settled(answer: wasm.AwaitedAnswer): Promise<() => void> {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    const told = (tell: () => void): void => {
      waiting.delete(reject);
      resolve(tell);
    };
    answer.promise.then(
      (value) => {
        told(() => {
          answer.resolved(value);
        });
      },
      (thrown: unknown) => {
        noteThrownByHost(thrown);
        told(() => {
          answer.rejected(thrown);
        });
      },
    );
  });
}

function requireLoaded(): void {
  if (isLoaded) return;
  throw new SkeinResultsError(
    "not_initialized",
    "The WebAssembly module is not loaded. Call `await init()` of skein-results before anything else; in Node it is loaded at import.",
  );
}
