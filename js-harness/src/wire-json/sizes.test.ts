// One bound on what a member of a result comes to when it is written: an object in several places is
// written in each, and what doubles at every level would be written for hours (case N-07).

import { setImmediate as turn } from "node:timers/promises";

import { isSkeinResultsError, serializeWireJson, type RunResult } from "skein-results";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { memory, postgres, sqlite, type HostKind } from "../engine/testing/hosts.js";
import { newRun } from "../stores/store-suite/fixtures.js";

import { hostWireResult } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";

const BOUND = 2 ** 29;
const OBJECT = 32;
const VALUE = 8;
/** Where nothing stops it, the engine goes on for minutes, or for ever. */
const GENEROUS = 120_000;

// The walks leave the process no time to tell the runner how they went.
afterEach(() => turn());

type Wrap = (inside: unknown) => unknown;

function wrapped(leaf: unknown, levels: number, wrap: Wrap): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

const twice: Wrap = (inside) => ({ l: inside, r: inside });
const LEVELS = 26;

/** What has no end in sight, by what there is so much of. */
const ENDLESS: Readonly<Record<string, () => unknown>> = {
  "objects with a toJSON": () =>
    wrapped(1, LEVELS, (inside) => ({ toJSON: () => [inside, inside] })),
  texts: () => wrapped("x".repeat(100_000), LEVELS, twice),
  // Seventy million of them in few objects: the text of all that is short.
  "members that JSON leaves out": () => {
    const members = Array.from({ length: 1_000 }, (_, key) => [`k${key}`, undefined]);
    return Array<unknown>(70_000).fill(Object.fromEntries(members));
  },
};

it.each(Object.entries(ENDLESS))(
  "too many %s are refused before the engine has written them",
  (_told, make) => {
    let failure: unknown = null;
    try {
      serializeWireJson({ kept: "text", of: make() });
    } catch (error) {
      failure = error;
    }

    if (!isSkeinResultsError(failure)) throw new Error("It was written.");
    expect(failure.code).toBe("not_serializable");
    // Inside of it: the engine itself, which says so at its end, knows no place.
    expect(failure.details["path"]).toMatch(/^of[.[]/);
    expect(failure.message).toMatch(/shared data once/);
    expect(failure.cause).toBeInstanceOf(RangeError);
  },
  GENEROUS,
);

/** Texts and objects that come to the bound, half of it each, and to so much more. */
function many(more: 0 | 1): unknown {
  const part = "x".repeat(2 ** 24);
  const texts = BOUND / 2 - OBJECT;
  const parts = Array<string>(Math.floor(texts / (part.length + VALUE))).fill(part);
  const rest = "x".repeat((texts % (part.length + VALUE)) - VALUE + more);
  return [...parts, rest, Array<unknown>(BOUND / 2 / OBJECT - 1).fill({})];
}

it(
  "what comes to the bound is written, and one character more is refused",
  () => {
    const written = serializeWireJson(many(0));
    // As one comparison: a difference of such texts is nothing to print.
    expect(written === JSON.stringify(many(0))).toBe(true);
    expect(() => serializeWireJson(many(1))).toThrow(/characters would be written/);
  },
  GENEROUS,
);

/** Wherever a result may have a value, and a store for each: the bound is on each of the members. */
const PLACES: readonly [kind: HostKind, path: string, resultWith: (value: unknown) => object][] = [
  [memory, "values.a[0]", (value) => ({ values: { a: [value] } })],
  [
    sqlite,
    "interrupts.t1[0].value",
    (value) => ({ values: {}, interrupts: { t1: [{ id: "i1", value }] } }),
  ],
  [postgres, "reply", (value) => ({ values: {}, reply: value })],
];

describe.each(PLACES.map(([kind, path, resultWith]) => ({ kind, path, resultWith })))(
  "a result kept by $kind.name",
  ({ kind, path, resultWith }) => {
    let open: OpenPlace;
    beforeAll(async () => {
      open = await OpenPlace.of(kind);
    });
    afterAll(() => open.removed());

    it(
      `cannot have a diamond without end at ${path}`,
      async () => {
        const { runs } = open.store;
        const { run_id } = await newRun(open.store);
        await runs.setStatus(run_id, "running");
        const begun = await runs.get(run_id);
        const endless = resultWith(wrapped({ n: 1 }, LEVELS, twice)) as RunResult;

        const settling = runs.settleRun(run_id, { status: "success", result: endless });

        await expect(settling).rejects.toMatchObject({ code: "not_serializable" });
        await expect(settling).rejects.toThrow(`The value at ${path}.l`);
        expect(await runs.get(run_id)).toEqual(begun);
        expect(await runs.getResult(run_id)).toBeNull();
        const good = resultWith(wrapped({ n: 1 }, 5, twice)) as RunResult;
        await runs.settleRun(run_id, { status: "success", result: good });
        expect(await runs.getResult(run_id)).toEqual(hostWireResult(good));
      },
      GENEROUS,
    );
  },
);
