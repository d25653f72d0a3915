// A failure names the place in what was being written, and carries what was thrown.

import fc from "fast-check";
import {
  isSkeinResultsError,
  mergeResults,
  resultMethods,
  type RunResult,
  type SkeinResultsError,
} from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { describe, expect, it } from "vitest";

import { revoked } from "../testing/hostile.js";

import { MEMBERS } from "./host-serializer.js";
import { seeded } from "./seed.js";

/** A step from a container to what is inside it, and how the container shows it. */
interface Step {
  at: string | number;
  kind: "plain" | "toJSON" | "toDict" | "frozen" | "proxy";
}

/** The value as a member under a key, or as a getter that answers it. */
type Member = { value: unknown } | { get: () => unknown };

const BOOM = new Error("boom");
const boom = (): never => {
  throw BOOM;
};

/** What cannot be written, given what it is inside of. */
const POISONS: Readonly<Record<string, (ancestor: () => unknown) => Member>> = {
  "a BigInt": () => ({ value: 1n }),
  "a boxed BigInt": () => ({ value: Object(1n) as unknown }),
  "a getter that throws": () => ({ get: boom }),
  "a toJSON that throws": () => ({ value: { toJSON: boom } }),
  "a toJSON that cannot be read": () => ({
    value: Object.defineProperty({}, "toJSON", { get: boom }),
  }),
  "a toDict that throws": () => ({ value: { toDict: boom } }),
  "a toDict that cannot be read": () => ({
    value: Object.defineProperty({}, "toDict", { get: boom }),
  }),
  "a toDict that answers nothing": () => ({ value: { toDict: () => undefined } }),
  "a proxy that throws": () => ({ value: new Proxy({}, { ownKeys: boom }) }),
  "a revoked proxy": () => ({ value: revoked() }),
  "what it is inside of": (ancestor) => ({ get: ancestor }),
  "a toJSON that answers what it is inside of": (ancestor) => ({ value: { toJSON: ancestor } }),
};

const step: fc.Arbitrary<Step> = fc.record({
  at: fc.oneof(
    fc.constantFrom("a", "messages", "$x", "_", "a b", "", "a.b", "0x", "é", 'a"b', "__proto__"),
    fc.integer({ min: 0, max: 4 }),
  ),
  kind: fc.constantFrom("plain", "plain", "toJSON", "toDict", "frozen", "proxy"),
});

/** Something on either side, which is written without a word. */
const beside = () => ({ fine: [1, { of: "all" }], shared: {} });

function containerOf(at: string | number, member: Member): object {
  const container: object = typeof at === "number" ? [] : {};
  if (typeof at === "number") {
    for (let index = 0; index < at + 2; index += 1) Reflect.set(container, index, beside());
  } else {
    Reflect.set(container, "before this", beside());
  }
  Object.defineProperty(container, at, { ...member, enumerable: true, configurable: true });
  if (typeof at === "string") Reflect.set(container, "behind this", beside());
  return container;
}

function shown(container: object, kind: Step["kind"]): unknown {
  switch (kind) {
    case "toJSON":
      return { unseen: 1n, toJSON: () => container };
    case "toDict":
      // An array would be spread into an object, whose keys are no indices.
      return Array.isArray(container)
        ? container
        : { toDict: () => ({ type: "t", data: container }) };
    case "frozen":
      return Object.freeze(container);
    case "proxy":
      return new Proxy(container, {});
    case "plain":
      return container;
  }
}

/** The steps to a place from the inside out. */
function around(steps: readonly Step[], innermost: Member): unknown {
  return steps.reduceRight<Member>(
    (member, { at, kind }) => ({ value: shown(containerOf(at, member), kind) }),
    innermost,
  );
}

/** The place that is named: what a toDict answers is read as a whole, before its members are written. */
function placeOf(steps: readonly Step[], poison: Member): readonly Step[] {
  const last = steps.at(-1);
  const isSpread = last?.kind === "toDict" && typeof last.at === "string";
  return isSpread && "get" in poison && poison.get === boom ? steps.slice(0, -1) : steps;
}

function pathOf(member: string, steps: readonly Step[]): string {
  return steps.reduce((path, { at }) => {
    if (typeof at === "number") return `${path}[${at}]`;
    return /^[a-z_$][\w$]*$/i.test(at) ? `${path}.${at}` : `${path}[${JSON.stringify(at)}]`;
  }, member);
}

function refusalOf(merge: () => unknown): Error {
  try {
    merge();
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_snapshot" });
    return error as Error;
  }
  throw new Error("The snapshot was taken.");
}

describe("a failure", () => {
  it("names its place, wherever it is and whatever is around it", async () => {
    const runs = new Map([["run", { status: "success" as const }]]);
    const results = resultMethods(memoryDriver({ runs }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...MEMBERS),
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...Object.entries(POISONS)),
        async (member, given, [kind, poison]) => {
          // Only what is written can be met again: not what stands for something else.
          const steps = kind.includes("inside of")
            ? given.map((step) =>
                /^to/.test(step.kind) ? { ...step, kind: "plain" as const } : step,
              )
            : given;
          const held: { root?: unknown } = {};
          const poisoned = poison(() => held.root);
          const made = around(steps, poisoned) as { value: unknown };
          held.root = made.value;
          const result = { values: { fine: beside() }, [member]: held.root };

          const failure: unknown = await results
            .recordResult("run", result as RunResult)
            .catch((error: unknown) => error);
          expect(failure).toMatchObject({
            code: "not_serializable",
            details: { path: pathOf(member, placeOf(steps, poisoned)) },
            cause: expect.any(Error) as Error,
          });
          expect(await results.getResult("run")).toBeNull();

          // In a snapshot it spoils its entry, for the same reason.
          const { cause: spoiled } = refusalOf(() => mergeResults({ results: [["run", result]] }));
          expect(isSkeinResultsError(spoiled)).toBe(true);
          expect(spoiled).toMatchObject({
            code: "not_serializable",
            details: (failure as SkeinResultsError).details,
            cause: expect.any(Error) as Error,
          });
        },
      ),
      seeded("places of failures", 2_000),
    );
  });
});
