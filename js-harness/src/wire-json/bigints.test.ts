// A BigInt is refused, or is what the host has taught its BigInts to be, and never a number (case N-14). Each
// in a process of its own: what is taught is taught to the whole process.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { KindPlaces, STORE_KINDS } from "../stores/testing/kind-places.js";
import { childProgram, type ChildProgram } from "../testing/child-program.js";

let program: ChildProgram;
const places = new KindPlaces();
beforeAll(async () => {
  program = await childProgram(new URL("programs/bigints.ts", import.meta.url));
});
afterAll(async () => {
  await places.removed();
  await program.remove();
});

const PLACES = 3;
const WRITTEN = ["5", "-5", "0", "1180591620717411303424", "1", { "0": "5" }];
const KEPT = [null, "success", { values: { kept: 1 } }];

describe.each(STORE_KINDS)("a result kept by %s", (kind) => {
  it("has no BigInt where they are not taught to be JSON", async () => {
    const refused = WRITTEN.flatMap(() =>
      Array<unknown>(PLACES).fill(["not_serializable", "running", null]),
    );

    const [told] = await program.run("not", kind, await places.placeOf(kind));

    expect(told).toEqual([...refused, KEPT]);
  });

  it("has the digits of every BigInt that is taught to be a text", async () => {
    const written = WRITTEN.flatMap((value) => [
      [null, "success", { values: { value } }],
      [null, "success", { values: {}, reply: [value] }],
      [null, "success", { values: {}, interrupts: { t1: [{ id: "i1", value }] } }],
    ]);

    const [told] = await program.run("as text", kind, await places.placeOf(kind));

    expect(told).toEqual([...written, KEPT]);
  });
});
