// Anything at all as the arguments of anything: each call is answered or fails with the package's error, at
// once or by its promise, WebAssembly does not trap, and the same handles still work.

import fc from "fast-check";
import * as api from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { expect, it } from "vitest";

import { seeded } from "../wire-json/seed.js";

import { complaint, failureOf, HOSTILE, type AnyCall, type Make } from "./testing/junk.js";

const CALLS = 50_000;

/** Names under which the package looks for something. */
const key = fc.constantFrom(
  ...["values", "interrupts", "reply", "checkpoint", "status", "end", "result", "error", "run"],
  ...["mark", "root", "turn", "message", "runs", "from", "to", "sourceThread", "targetThread"],
  ...["runId", "threadId", "kwargs", "limit", "after", "state", "results", "version", "metadata"],
  ...["record", "read", "settle", "thread_id", "id", "tip", "named", api.RUN_MARK_KEY],
);
const { anything } = fc.letrec<{ anything: Make }>((tie) => ({
  anything: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.constantFrom(...HOSTILE),
    fc
      .anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })
      .map((value) => () => value),
    fc.string({ unit: "binary" }).map((text) => () => text),
    fc.array(tie("anything"), { maxLength: 4 }).map((items) => () => items.map((make) => make())),
    fc
      .array(fc.tuple(key, tie("anything")), { maxLength: 5 })
      .map(
        (members) => (): unknown =>
          Object.fromEntries(members.map(([name, make]) => [name, make()])),
      ),
  ),
}));

const driver = () => memoryDriver({ runs: new Map([["r", { status: "running" as const }]]) });
const methods = api.resultMethods(driver());
const marked = api.markRun({}, { root: "r", turn: 0, message: null });
const over = (primitives: Partial<api.ResultDriver>) =>
  api.resultMethods({ record: () => undefined, read: () => null, ...primitives });

/** Every function of the package, every method of a store, and what drivers may answer. */
const TARGETS: readonly [name: string, call: AnyCall][] = [
  ...Object.entries(api).flatMap(([name, value]): [string, AnyCall][] =>
    typeof value === "function" && !/^[A-Z]|^init$/.test(name) ? [[name, value as AnyCall]] : [],
  ),
  ...Object.entries(methods).map(([name, method]): [string, AnyCall] => [
    `methods.${name}`,
    method as AnyCall,
  ]),
  ["a settlement", (end, write) => settlement().settle(end as never, write as never)],
  ["an answer to read", (answer) => over({ read: () => answer as null }).getResult("r")],
  [
    "an answer to record",
    (answer) => over({ record: () => answer as undefined }).recordResult("r", { values: {} }),
  ],
  [
    "an answer to settle",
    (answer) => over({ settle: () => answer as null }).settleRun?.("r", { status: "success" }),
  ],
  [
    "an answer to readMany",
    (answer) => over({ readMany: () => answer as [] }).exportResults(["r"]),
  ],
];
const settlement = () => new api.RunSettlement(methods, { runId: "r", kwargs: marked });

it("no call traps, whatever it is given", { timeout: 300_000 }, async () => {
  const faults: unknown[] = [];
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TARGETS),
      fc.array(anything, { maxLength: 4 }),
      async ([name, call], given) => {
        const error = await failureOf(
          call,
          given.map((make) => make()),
        );
        if (api.isSkeinResultsError(error)) refused += 1;
        const told = error === undefined ? null : complaint(error);
        if (told !== null) faults.push([name, told]);
      },
    ),
    seeded("junk calls", CALLS),
  );

  expect([...new Set(faults.map(String))]).toEqual([]);
  expect(refused).toBeGreaterThan(CALLS / 10);
  const fresh = api.resultMethods(driver());
  await fresh.recordResult("r", { values: { kept: 1 } });
  expect(await fresh.getResult("r")).toEqual({ values: { kept: 1 } });
  expect(await methods.getResult("no-run")).toBeNull();
});
