import { isSkeinResultsError, type ErrorCode } from "../wasm/errors.js";

import { sameJson } from "./same-json.js";

/** A rule of the contract that a store does not keep, as a sentence. */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation";
}

/** Fails the case. */
export function violated(sentence: string, cause?: unknown): never {
  throw new ContractViolation(sentence, cause === undefined ? undefined : { cause });
}

/** Fails the case with this sentence unless the rule is kept. */
export function demand(isKept: boolean, sentence: string): asserts isKept {
  if (!isKept) violated(sentence);
}

/** Fails the case unless what was found is this JSON, with every leaf the same to the bit. */
export function demandSame(found: unknown, expected: unknown, what: string): void {
  if (sameJson(found, expected)) return;
  violated(`${what} must be ${shown(expected)}, and is ${shown(found)}.`);
}

/** Fails the case unless what was found is one of these, as a whole. */
export function demandOneOf(found: unknown, candidates: readonly unknown[], what: string): void {
  if (candidates.some((candidate) => sameJson(found, candidate))) return;
  violated(`${what} must be one of those that were written, as a whole, and is ${shown(found)}.`);
}

/** Waits for a call that must fail with one of these codes. */
export async function demandFailure(
  call: Promise<unknown>,
  codes: readonly ErrorCode[],
  what: string,
): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (isSkeinResultsError(error) && codes.includes(error.code)) return;
    violated(`${what} must fail with ${codes.join(" or ")}, and fails with another error.`, error);
  }
  violated(`${what} must fail, and the call resolves as if all were well.`);
}

const SHOWN = 300;

/** A value as a person reads it in a sentence. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

function textOf(value: unknown): string {
  if (value === undefined) return "nothing";
  try {
    const text: unknown = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch {
    // A cycle or a BigInt: told like the rest of what is no JSON.
  }
  return "something that JSON cannot carry";
}
