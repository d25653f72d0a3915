// A BigInt is refused, or is what the host has taught its BigInts to be, and never a number (case N-14). Each
// in a process of its own: what is taught is taught to the whole process.

import { afterAll, beforeAll, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";

let program: ChildProgram;
beforeAll(async () => {
  program = await childProgram(new URL("programs/bigints.ts", import.meta.url));
});
afterAll(() => program.remove());

const PLACES = 3;
const WRITTEN = ["5", "-5", "0", "1180591620717411303424", "1", { "0": "5" }];

it("refuses every BigInt where it is not taught to be JSON", async () => {
  const refused = WRITTEN.flatMap(() => Array<unknown>(PLACES).fill(["not_serializable", null]));

  expect(await program.run("not")).toEqual([{ outcomes: refused, kept: { values: { kept: 1 } } }]);
});

it("has the digits of every BigInt that is taught to be a text", async () => {
  const written = WRITTEN.flatMap((value) => [
    [null, { values: { value } }],
    [null, { values: {}, reply: [value] }],
    [null, { values: {}, interrupts: { t1: [{ id: "i1", value }] } }],
  ]);

  expect(await program.run("as text")).toEqual([
    { outcomes: written, kept: { values: { kept: 1 } } },
  ]);
});
