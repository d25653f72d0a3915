// A value is read as the host's serializer reads it: the same members in the same order, as often, and
// all of them before `recordResult` returns.

import { deepStrictEqual } from "node:assert/strict";

import fc from "fast-check";
import { resultMethods, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { expect, it } from "vitest";

import { hostWireText, outcomeOf } from "./host-serializer.js";
import { seeded } from "./seed.js";
import { liveValue } from "./values/index.js";

/** The value with everything written down that is asked of it or of what is in it. */
function watched(value: unknown, log: string[]): unknown {
  const seen = new Map<object, object>();
  const watch = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || !isPlain(value)) return value;
    const known = seen.get(value);
    if (known) return known;
    const name = `#${seen.size}`;
    const note = (what: string, key: PropertyKey) => log.push(`${name} ${what} ${String(key)}`);
    const proxy = new Proxy(value, {
      get(target, key, receiver) {
        note("get", key);
        const found = Reflect.get(target, key, receiver) as unknown;
        const own = Reflect.getOwnPropertyDescriptor(target, key);
        // A proxy must answer a member that cannot change as it is.
        return own && !own.configurable && !own.get ? found : watch(found);
      },
      has: (target, key) => (note("has", key), Reflect.has(target, key)),
      ownKeys: (target) => (note("keys", ""), Reflect.ownKeys(target)),
      getOwnPropertyDescriptor: (target, key) => {
        note("descriptor", key);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      getPrototypeOf: (target) => (note("prototype", ""), Reflect.getPrototypeOf(target)),
    });
    seen.set(value, proxy);
    return proxy;
  };
  return watch(value);
}

/** What is built in does not work behind a proxy: its methods look for themselves. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === null || prototype === Object.prototype;
}

it("reads what the host's serializer reads, as often and in its order", () => {
  const runs = new Map([["run", { status: "success" as const }]]);
  const results = resultMethods(memoryDriver({ runs }));
  let reads = 0;
  fc.assert(
    fc.property(liveValue, ({ make }) => {
      const expected: string[] = [];
      outcomeOf(() => hostWireText({ values: watched(make(), expected) }));
      const found: string[] = [];
      const recorded = results.recordResult("run", { values: watched(make(), found) } as RunResult);
      // What was read later than now is no part of the comparison.
      deepStrictEqual(found, expected);
      reads += found.length;
      recorded.catch(() => {});
    }),
    seeded("reads", 4_000),
  );
  expect(reads).toBeGreaterThan(1_000);
});

it("reads the members of a result that are getters as the host's serializer does", async () => {
  const asked = (log: string[]): object => ({
    get values() {
      log.push("values");
      return {
        get inner() {
          log.push("inner");
          return log.length;
        },
      };
    },
    get reply() {
      log.push("reply");
      return log.length;
    },
  });
  const expected: string[] = [];
  const text = hostWireText(asked(expected));

  const runs = new Map([["run", { status: "success" as const }]]);
  const results = resultMethods(memoryDriver({ runs }));
  const found: string[] = [];
  await results.recordResult("run", asked(found) as RunResult);

  expect(found).toEqual(expected);
  expect(JSON.stringify(await results.getResult("run"))).toBe(text);
});
