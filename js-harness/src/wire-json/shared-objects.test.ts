// One object in several places is written in each of them, and read back as objects of their own (case
// N-07). What doubles at every level doubles in the text, for which there is a bound: see sizes.test.ts.

import { AIMessage } from "@langchain/core/messages";
import type { RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds } from "../engine/testing/hosts.js";
import { newRun } from "../stores/store-suite/fixtures.js";

import { hostWireResult } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";

/** Where a hang is a failure: far from what it takes on a busy machine. */
const GENEROUS = 60_000;

/** A map that shows its entries, as hosts teach theirs. */
class Entries extends Map<string, unknown> {
  toJSON(): unknown {
    return { entries: [...this], inner: this.get("inner") };
  }
}

/** What may be in two places at once. */
const SHARED: Readonly<Record<string, () => unknown>> = {
  "an object": () => ({ n: 1 }),
  "an object with more in it": () => ({ n: { of: [1, { a: 2 }] } }),
  "an empty object": () => ({}),
  "an array": () => [1, [2]],
  "a message": () => new AIMessage({ content: "shared", id: "m" }),
  "an object with a toJSON": () => ({ toJSON: () => ({ n: 1 }) }),
  "a proxy": () => new Proxy({ n: 1 }, {}),
  "a Map": () => new Map([["n", 1]]),
  "a Map that shows its entries": () => new Entries([["inner", { n: 1 }]]),
  "a Set": () => new Set([{ n: 1 }]),
  "a Date": () => new Date(0),
  "an object with a Map and a Date": () => ({ map: new Map([["n", 1]]), at: new Date(0) }),
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

/** A shared Map and a shared Date as they are read. */
interface Written {
  map: { entries: unknown[]; inner: { n: number } };
  at: string;
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

  it("has a Map and a Date in two places, each a copy of its own", async () => {
    const map = new Entries([["inner", { n: 1 }]]);
    const at = new Date(0);
    const { run_id } = await newRun(open.store);
    const values = { left: { map, at }, right: { map, at } };
    await open.store.runs.settleRun(run_id, { status: "success", result: { values } });
    await open.reopened();

    const read = await open.store.runs.getResult(run_id);
    const { left, right } = (read as unknown as { values: Record<string, Written> }).values;
    if (!left || !right) throw new Error("One of the places is lost.");
    left.map.inner.n = 2;
    left.map.entries.push(["more", 1]);
    left.at = "changed";

    const written = { entries: [["inner", { n: 1 }]], inner: { n: 1 } };
    expect(right).toEqual({ map: written, at: "1970-01-01T00:00:00.000Z" });
    // The entry was the same object as the inner one.
    expect(left.map.entries[0]).toEqual(["inner", { n: 1 }]);
    expect(await open.store.runs.getResult(run_id)).toEqual(hostWireResult({ values }));
  });

  it(
    "has all million parts of a diamond of 20 levels",
    async () => {
      const LEVELS = 20;
      const { run_id } = await newRun(open.store);
      const result = { values: diamond(LEVELS) } as RunResult;

      await open.store.runs.settleRun(run_id, { status: "success", result });
      await open.reopened();

      const read = await open.store.runs.getResult(run_id);
      const { values } = read as unknown as { values: { l: object; r: object } };
      // As texts: a comparison of objects walks a million of them in JavaScript.
      expect(JSON.stringify(values) === JSON.stringify(diamond(LEVELS))).toBe(true);
      expect(values.l).not.toBe(values.r);
      Reflect.set(values.l, "changed", true);
      expect(Object.hasOwn(values.r, "changed")).toBe(false);
    },
    GENEROUS,
  );
});
