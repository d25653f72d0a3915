// Objects of the language and of Node are on every store what the host's serializer makes of them (case
// N-15).

import type { RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds } from "../engine/testing/hosts.js";
import { newRun } from "../stores/store-suite/fixtures.js";

import { hostWireText } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";

/** Where a hang is a failure: far from what it takes on a busy machine. */
const GENEROUS = 60_000;

class Account {
  readonly #secret = "hidden";
  readonly name = "shown";
  get secret(): string {
    return this.#secret;
  }
}

/** Each with the text that it is on the wire. */
const INSTANCES: readonly [told: string, make: () => unknown, written: string][] = [
  ["a Date", () => new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ["a Date that is none", () => new Date(NaN), "null"],
  ["a Map", () => new Map([["a", 1]]), "{}"],
  ["a Set", () => new Set([1]), "{}"],
  ["a Buffer", () => Buffer.from([1, 2]), '{"type":"Buffer","data":[1,2]}'],
  ["bytes", () => new Uint8Array([1, 2]), '{"0":1,"1":2}'],
  ["an Error", () => new Error("x"), "{}"],
  ["a boxed text", () => Object("s") as unknown, '"s"'],
  ["a boxed number", () => Object(1) as unknown, "1"],
  ["a URL", () => new URL("https://e.test/a"), '"https://e.test/a"'],
  ["an instance with a getter and a private field", () => new Account(), '{"name":"shown"}'],
];

describe.each(hostKinds)("a result kept by $name", (kind) => {
  let open: OpenPlace;
  beforeAll(async () => {
    open = await OpenPlace.of(kind);
  });
  afterAll(() => open.removed());

  it.each(INSTANCES)("has %s as JSON has it", async (_told, make, written) => {
    const { run_id } = await newRun(open.store);
    const values = () => ({ is: make(), list: [make()], deep: { in: { it: make() } } });
    const interrupts = { t1: [{ id: "i1", value: make() }] };
    const result = { values: values(), interrupts, reply: make() } as RunResult;

    await open.store.runs.settleRun(run_id, { status: "success", result });
    await open.reopened();

    const read = await open.store.runs.getResult(run_id);
    const inValues = `{"is":${written},"list":[${written}],"deep":{"in":{"it":${written}}}}`;
    expect(JSON.stringify(read)).toBe(
      `{"values":${inValues},"interrupts":{"t1":[{"id":"i1","value":${written}}]},"reply":${written}}`,
    );
    expect(hostWireText(values())).toBe(inValues);
  });

  it(
    "has the bytes of a megabyte",
    async () => {
      const bytes = new Uint8Array(1_000_000).map((_, index) => index);
      const { run_id } = await newRun(open.store);

      await open.store.runs.settleRun(run_id, { status: "success", result: { values: { bytes } } });
      await open.reopened();

      const read = await open.store.runs.getResult(run_id);
      expect(JSON.stringify(read) === JSON.stringify({ values: { bytes } })).toBe(true);
    },
    GENEROUS,
  );
});
