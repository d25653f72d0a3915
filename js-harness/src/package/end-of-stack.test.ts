// With nearly no stack left every call is answered or fails, and nothing more: the same call and others are
// answered after it.

import { beforeAll, expect, it } from "vitest";

import { childProgram } from "../testing/child-program.js";

import type { AtTheEnd } from "./programs/end-of-stack.js";
import { EVERY_CALL } from "./testing/every-call.js";

let outcomes: readonly AtTheEnd[];
beforeAll(async () => {
  const program = await childProgram(new URL("programs/end-of-stack.ts", import.meta.url));
  [outcomes] = (await program.run()) as [readonly AtTheEnd[]];
  await program.remove();
});

it.each(EVERY_CALL.map(({ name }) => name))("%s harms nothing at the end of the stack", (name) => {
  const outcome = outcomes.find((told) => told.name === name);

  expect(outcome).toMatchObject({ strange: [], kept: { values: { kept: 1 } } });
  expect(outcome?.after).toBe(outcome?.before);
});

it("calls have come to the end of the stack, and back from there", () => {
  for (const how of ["failed", "answered"] as const) {
    const seen = outcomes.filter((outcome) => outcome[how] > 0);
    expect(seen.length).toBeGreaterThan(EVERY_CALL.length / 2);
  }
});
