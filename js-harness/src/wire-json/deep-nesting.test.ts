// What is nested deeper than any stack fails typed, live and as the text of a snapshot, and the process goes
// on (case N-03). Each store in a process of its own: where it went wrong, that would be gone.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { KindPlaces } from "../stores/testing/kind-places.js";
import { childProgram, type ChildProgram } from "../testing/child-program.js";

import { DEEP_TEXTS, DEEP_VALUES, PLACES, TOO_DEEP, type Told } from "./values/deep.js";

const LEVELS = [5_000, 20_000, 200_000];
/** What is between the shallowest and the deepest is the same for every store, and is seen on one. */
const STORES = [
  { kind: "memory", levels: LEVELS },
  { kind: "sqlite", levels: [5_000, 200_000] },
  { kind: "postgres", levels: [5_000, 200_000] },
] as const;
const GENEROUS = 120_000;

let program: ChildProgram;
const places = new KindPlaces();
beforeAll(async () => {
  program = await childProgram(new URL("programs/deep-nesting.ts", import.meta.url));
});
afterAll(async () => {
  await places.removed();
  await program.remove();
});

const REFUSED = { status: "running", read: null };
const NOT_IMPORTED = { code: "invalid_snapshot", status: undefined, read: null };

describe.each(STORES)("a store of kind $kind", ({ kind, levels }) => {
  it(
    "refuses what is too deep for any stack, and takes what comes after it",
    async () => {
      const parameters = [kind, await places.placeOf(kind), ...levels.map(String)];

      const [sent] = (await program.run(...parameters)) as [{ told: Told[]; fine: boolean }];

      const shapes = Object.keys(DEEP_VALUES).length + Object.keys(DEEP_TEXTS).length;
      expect(sent.told).toHaveLength(levels.length * Object.keys(PLACES).length * shapes);
      for (const { code, status, read, ...of } of sent.told) {
        const outcome = { ...of, code, status, read };
        if (of.shape.startsWith("a text of")) expect(outcome).toEqual({ ...of, ...NOT_IMPORTED });
        else if (of.shape in TOO_DEEP) {
          expect(outcome).toEqual({ ...of, code: "too_deep", ...REFUSED });
        } else if (code === null) {
          expect(outcome).toEqual({ ...of, code, status: "success", read: true });
        } else expect(outcome).toEqual({ ...of, code: "not_serializable", ...REFUSED });
      }
      expect(sent.fine).toBe(true);
    },
    GENEROUS,
  );
});
