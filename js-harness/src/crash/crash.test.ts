// The short form of `npm run crash`: a few kills of each operation, on both durable stores.

import { afterAll, beforeAll, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";

import { crash } from "./crash.js";
import { OPERATIONS } from "./operations.js";

let program: ChildProgram;
beforeAll(async () => {
  program = await childProgram(new URL("programs/crash-child.ts", import.meta.url));
});
afterAll(() => program.remove());

/** Some sixty processes, on a machine that may be busy. */
const LONG_MS = 600_000;

it.each(["sqlite", "postgres"] as const)(
  "nothing is lost or half done where a process is killed in the middle of an operation on %s",
  async (kind) => {
    const { kills, violations } = await crash({ program, kinds: [kind], killsEach: 2 });

    expect(violations).toEqual([]);
    // Two of the migrations: of an empty database, and of one without results.
    expect(kills).toBeGreaterThanOrEqual(Object.keys(OPERATIONS).length + 2);
  },
  LONG_MS,
);
