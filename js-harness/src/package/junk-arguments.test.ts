// Junk in the place of each argument of every function, and of each member of it: the call works, or it fails
// with the package's error and a documented code; one that answers with a promise fails by it.

import { expect, it } from "vitest";

import { boom } from "../testing/hostile.js";

import { EVERY_CALL, exportedFunctions, type EveryCall } from "./testing/every-call.js";
import { complaint, HOSTILE, PLAIN, type AnyCall, type Make } from "./testing/junk.js";

/** The way to a member of the arguments. */
type Path = readonly (string | number)[];

/** Each argument, and each member of those that are plain data. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  const isData =
    Array.isArray(value) ||
    (typeof value === "object" &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype);
  if (!isData || path.length > 6) return [path];
  const members = Array.isArray(value)
    ? value.map((member: unknown, index) => [index, member] as const)
    : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

/** Puts something where a path leads to. */
type Put = (parent: object, name: string | number) => void;

const putting =
  (make: Make): Put =>
  (parent, name) => {
    Reflect.set(parent, name, make());
  };

const WAYS: readonly (readonly [label: string, put: Put])[] = [
  ...[...PLAIN, ...HOSTILE].map((make) => [String(make), putting(make)] as const),
  ["left out", (parent, name) => Reflect.deleteProperty(parent, name)],
  ["a getter that throws", (parent, name) => Object.defineProperty(parent, name, { get: boom })],
];

function parentOf(given: unknown[], path: Path): object {
  return path.slice(0, -1).reduce<object>((at, name) => Reflect.get(at, name) as object, given);
}

async function complaintsOf({ name, open, given }: EveryCall): Promise<string[]> {
  const complaints = new Set<string>();
  const call = open();
  const answersLater = await isAnsweredLater(call, given());
  for (const path of pathsOf(given()).filter(({ length }) => length > 0)) {
    // A whole argument is no member that could be read by a getter.
    for (const [label, put] of path.length === 1 ? WAYS.slice(0, -1) : WAYS) {
      const values = given();
      put(parentOf(values, path), path.at(-1) ?? 0);
      const told = (why: string | null) => {
        if (why) complaints.add(`${name}(${path.join(".")} = ${label}): ${why}`);
      };
      try {
        // The arguments are a list with holes where one is left out.
        const came = call(...Array.from(values));
        if (came instanceof Promise) await came.catch((error: unknown) => told(complaint(error)));
      } catch (error) {
        told(complaint(error) ?? (answersLater ? "throws, and does not reject" : null));
      }
    }
  }
  return [...complaints];
}

async function isAnsweredLater(call: AnyCall, given: unknown[]): Promise<boolean> {
  try {
    const answer = call(...given);
    if (!(answer instanceof Promise)) return false;
    await answer.catch(() => undefined);
    return true;
  } catch {
    // What cannot be done in here: there is no storage of a browser.
    return false;
  }
}

it("every function that the package exports is called here", () => {
  const { exported, listed } = exportedFunctions();
  expect(listed).toEqual(exported);
});

it.each(EVERY_CALL.map((call) => [call.name, call] as const))(
  "%s works or fails with a documented code",
  async (_name, call) => {
    expect(await complaintsOf(call)).toEqual([]);
  },
);
