// One object in several places is written in each of them, and read back as objects of their own (case
// N-07). What doubles at every level doubles in the text: the bound is the engine's longest text.

import { AIMessage } from "@langchain/core/messages";
import type { RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds } from "../engine/testing/hosts.js";
import { newRun } from "../stores/store-suite/fixtures.js";

import { cpuSecondsOf } from "./cpu-time.js";
import { hostWireResult } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";

/** What may be in two places at once. */
const SHARED: Readonly<Record<string, () => unknown>> = {
  "an object": () => ({ n: 1 }),
  "an object with more in it": () => ({ n: { of: [1, { a: 2 }] } }),
  "an empty object": () => ({}),
  "an array": () => [1, [2]],
  "a message": () => new AIMessage({ content: "shared", id: "m" }),
  "an object with a toJSON": () => ({ toJSON: () => ({ n: 1 }) }),
  "a proxy": () => new Proxy({ n: 1 }, {}),
  bytes: () => new Uint8Array([1, 2]),
  "what shares again": () => {
    const inner = { n: 1 };
    return { left: inner, right: inner };
  },
};

/** The object wherever a result may have one. */
function resultWith(shared: unknown): RunResult {
  const values = { x: shared, y: shared, list: [shared, shared], deep: { again: shared } };
  const interrupts = {
    t1: [
      { id: "i1", value: shared },
      { id: "i2", value: shared },
    ],
  };
  return { values, interrupts, reply: [shared, values] };
}

/** Two of the next level down in each level, and one object at the bottom of all of them. */
function diamond(levels: number): unknown {
  let value: unknown = { n: 1 };
  for (let level = 0; level < levels; level += 1) value = { l: value, r: value };
  return value;
}

/** Every object and array in a value, with the place where it was found. */
function* objectsIn(value: unknown, path = ""): Generator<[string, object]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value];
  for (const [key, inside] of Object.entries(value)) yield* objectsIn(inside, `${path}.${key}`);
}

describe.each(hostKinds)("a result kept by $name", (kind) => {
  let open: OpenPlace;
  beforeAll(async () => {
    open = await OpenPlace.of(kind);
  });
  afterAll(() => open.removed());

  it.each(Object.entries(SHARED))("has %s in every place it was in", async (_told, make) => {
    const expected = hostWireResult(resultWith(make()));
    const { run_id } = await newRun(open.store);
    const result = resultWith(make());

    await open.store.runs.settleRun(run_id, { status: "success", result });

    expect(await open.store.runs.getResult(run_id)).toEqual(expected);
    await open.reopened();
    const read = await open.store.runs.getResult(run_id);
    expect(read).toEqual(expected);

    // Changed in one place only, wherever that is.
    const found = [...objectsIn(read)];
    expect(new Set(found.map(([, object]) => object)).size).toBe(found.length);
    for (const [path, object] of found) {
      Reflect.set(object, "changed", true);
      const changed = [...objectsIn(read)].filter(([, other]) => Object.hasOwn(other, "changed"));
      expect(changed.map(([place]) => place)).toEqual([path]);
      Reflect.deleteProperty(object, "changed");
    }
    (read as { values: { x: object } }).values.x = { replaced: true };
    expect(await open.store.runs.getResult(run_id)).toEqual(expected);
  });

  it("has all million parts of a diamond of 20 levels, or says that it has not", async () => {
    const LEVELS = 20;
    const { run_id } = await newRun(open.store);
    let read: RunResult | null = null;

    const seconds = await cpuSecondsOf(async () => {
      const result = { values: diamond(LEVELS) } as RunResult;
      await open.store.runs.settleRun(run_id, { status: "success", result });
      await open.reopened();
      read = await open.store.runs.getResult(run_id);
    });

    expect(seconds).toBeLessThan(10);
    const { values } = read as unknown as { values: { l: object; r: object } };
    // As texts: a comparison of objects walks a million of them in JavaScript.
    expect(JSON.stringify(values) === JSON.stringify(diamond(LEVELS))).toBe(true);
    expect(values.l).not.toBe(values.r);
    Reflect.set(values.l, "changed", true);
    expect(Object.hasOwn(values.r, "changed")).toBe(false);
  });
});
