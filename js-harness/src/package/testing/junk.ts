// Values that stand in the place of an argument, or of a member of one, and how a call fails over them.

import { readFileSync } from "node:fs";

import { A2AError } from "@a2a-js/sdk/errors";
import { isSkeinResultsError } from "skein-results";

import { boom, nested, revoked } from "../../testing/hostile.js";

/** Anything callable, whatever its types ask for. */
export type AnyCall = (...given: unknown[]) => unknown;

/** Values are made for a call: what looks at them all would fail over some. */
export type Make = () => unknown;

/** What junk throws that is called: the failure of a host's own callback, which may be handed on as it is. */
export const CALLED = new Error("called");
const throwing = (): never => {
  throw CALLED;
};

const cycle = (): unknown => {
  const own: Record<string, unknown> = {};
  own["self"] = { own };
  return own;
};

export const HOSTILE: readonly Make[] = [
  () => new Proxy({}, { get: boom, ownKeys: boom, has: boom, getOwnPropertyDescriptor: boom }),
  revoked,
  () => throwing,
  () => Promise.resolve(1),
  () => ({ then: boom }),
  () => Symbol("s"),
  () => 5n,
  () => -1,
  () => 1.5,
  () => 2 ** 53,
  () => -Infinity,
  () => ({ length: 2 ** 32 - 1 }),
  (): unknown => new Array(3),
  () => "\ud83d",
  () => "x".repeat(70_000),
  () => nested(999),
  () => nested(20_000),
  cycle,
];

/** What JSON or a mistake brings in the place of anything. */
export const PLAIN: readonly Make[] = [
  () => undefined,
  () => null,
  () => 0,
  () => 7,
  () => NaN,
  () => true,
  () => "",
  () => "junk",
  () => [],
  () => ["junk"],
  () => [null],
  () => [[]],
  () => ({}),
  () => ({ junk: 1 }),
  () => () => undefined,
  () => new Date(NaN),
  () => new Map(),
];

/** How a call failed; undefined where it did not. */
export async function failureOf(call: AnyCall, given: readonly unknown[]): Promise<unknown> {
  try {
    const answer = call(...given);
    if (answer instanceof Promise) await answer;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The codes that the README documents. */
const CODES: ReadonlySet<string> = new Set(
  readFileSync(new URL("../../../../README.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => /^\| `[a-z_]+`/.test(line))
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([a-z_]+)`/g)])
    .map(([, code]) => code ?? ""),
);

/**
 * What is wrong with a failure; null for a documented one (the protocol's own errors are, too), and for that
 * of a callback of the host's own.
 */
export function complaint(error: unknown): string | null {
  if (error === CALLED || error instanceof A2AError) return null;
  if (!isSkeinResultsError(error)) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  if (!CODES.has(error.code)) return `undocumented: ${error.code}`;
  return error.code === "internal_fault" ? `internal_fault: ${String(error.cause)}` : null;
}
