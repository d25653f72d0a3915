// What the host throws is the host's own, whatever it looks like: it is handed on, and no other work in the
// same instance hears of it.

import { resultMethods, RunSettlement } from "skein-results";
import { expect, it } from "vitest";

import { Gate } from "../engine/testing/store-wrappers.js";

/** Errors of a host that look like what WebAssembly is left by without unwinding its stack. */
const LOOKALIKES: Readonly<Record<string, () => Error>> = {
  "a text that Node has no room for": () =>
    Object.assign(new Error("Cannot create a string"), { code: "ERR_STRING_TOO_LONG" }),
  "a trap of the host's own WebAssembly": () => new WebAssembly.RuntimeError("unreachable"),
  "an end of the host's own stack": () => new RangeError("Maximum call stack size exceeded"),
};

/** How a host's code fails. */
const WAYS: Readonly<Record<string, (thrown: Error) => unknown>> = {
  "is thrown": (thrown) => {
    throw thrown;
  },
  "is rejected with": (thrown) => Promise.reject(thrown),
  "comes from a thenable": (thrown) => ({
    then: (_resolve: unknown, reject: (reason: unknown) => void) => {
      reject(thrown);
    },
  }),
};

const CASES = Object.entries(LOOKALIKES).flatMap(([name, make]) =>
  Object.entries(WAYS).map(([way, fail]) => [`${name}, which ${way},`, make, fail] as const),
);

it.each(CASES)("%s is handed on, and harms nothing else", async (_name, make, fail) => {
  const waiting = new Gate();
  const stopped = { end: "stopped", status: "error" } as const;
  const settle = (runId: string, write: () => unknown) =>
    new RunSettlement({}, { runId, kwargs: {} }).settle(stopped, write as () => Promise<"error">);
  const other = settle("other", () => waiting.pass().then(() => "error"));
  const [written, read] = [make(), make()];

  await expect(settle("run", () => fail(written))).rejects.toBe(written);
  const driver = { record: () => undefined, read: () => fail(read) as null };
  await expect(resultMethods(driver).getResult("run")).rejects.toMatchObject({
    code: "driver_failed",
    cause: read,
  });

  waiting.open();
  expect(await other).toBe("error");
});
