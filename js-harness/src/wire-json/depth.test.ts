// One limit on depth, counted on what is written: whatever a capture accepts, every later path can read.

import fc from "fast-check";
import { resultMethods, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { expect, it } from "vitest";

import { hostWireText, nestingOf } from "./host-serializer.js";
import { seeded } from "./seed.js";

const LIMIT = 1_000;

/** Ways of being one level further out, or, for those that JSON does not see, none. */
const LEVELS: readonly ((inside: unknown) => unknown)[] = [
  (inside) => [inside],
  (inside) => [0, [], inside, {}],
  (inside) => ({ next: inside }),
  (inside) => ({ before: { a: [1] }, next: inside, after: [[]] }),
  (inside) => ({ toJSON: () => inside }),
  (inside) => ({ toJSON: () => [inside] }),
  (inside) => ({ toDict: () => ({ type: "t", data: { inside } }) }),
  (inside) => new Proxy({ inside }, {}),
  (inside) => ({
    get inside() {
      return inside;
    },
  }),
];

const LEAVES: readonly unknown[] = [1, "text", undefined, null, () => 1, {}, [], [1, 2], { a: 1 }];

function nested(leaf: unknown, kinds: readonly number[], levels: number): unknown {
  let value = leaf;
  for (let level = 0; level < levels; level += 1) {
    value = LEVELS[kinds[level % kinds.length] ?? 0]?.(value);
  }
  return value;
}

it("carries a value up to the limit and refuses it beyond, as it is written", async () => {
  const kind = fc.integer({ min: 0, max: LEVELS.length - 1 });
  const seen = { carried: 0, refused: 0 };
  const runs = new Map([["run", { status: "success" as const }]]);
  const driver = memoryDriver({ runs });
  const results = resultMethods(driver);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LEAVES),
      fc.array(kind, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: LIMIT - 5, max: LIMIT + 300 }),
      async (leaf, kinds, levels) => {
        const make = () => nested(leaf, kinds, levels);
        const text = hostWireText({ values: make() }) ?? "";
        driver.erase("run");
        const failure = await results.recordResult("run", { values: make() } as RunResult).then(
          () => null,
          (error: unknown) => error,
        );
        const isDeep = nestingOf(text) - 1 > LIMIT;
        seen[isDeep ? "refused" : "carried"] += 1;
        if (isDeep) expect(failure).toMatchObject({ code: "too_deep" });
        else expect(failure).toBeNull();
        const stored = isDeep ? null : (JSON.parse(text) as unknown);
        expect(JSON.stringify(await results.getResult("run"))).toBe(JSON.stringify(stored));
      },
    ),
    seeded("depth", 400),
  );
  expect(Math.min(seen.carried, seen.refused)).toBeGreaterThan(20);
});
