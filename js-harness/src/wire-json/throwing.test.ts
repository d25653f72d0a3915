// Host code that throws, from every place that the package calls it from, harms nothing: a million calls
// fail with what was thrown, the next one works, and what WebAssembly holds has not grown.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import {
  copiedKwargs,
  importedKwargs,
  isSkeinResultsError,
  markRun,
  mergeResults,
  readMark,
  resultMethods,
  RUN_MARK_KEY,
  RunSettlement,
  serializeWireJson,
  type ResultDriver,
  type RunResult,
} from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const CALLS = 1_000_000;
/** Enough for every table and buffer to have the size that it needs. */
const FIRST_CALLS = 2_000;

/** What WebAssembly holds. Neither of the two ever shrinks. */
interface Held {
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
}

let held: Held;
const { stackTraceLimit } = Error;
beforeAll(async () => {
  const entry = createRequire(import.meta.url).resolve("skein-results");
  const glue = pathToFileURL(join(dirname(entry), "wasm", "glue.js"));
  // It answers the instance that there is, and makes no other.
  const { initSync } = (await import(glue.href)) as { initSync: (source: object) => Held };
  held = initSync({});
  // What a stack looks like a million times is not the question.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

const sizes = () => ({
  memory: held.memory.buffer.byteLength,
  values: held.__wbindgen_externrefs.length,
});

const BOOM = new Error("boom");
const boom = (): never => {
  throw BOOM;
};
/** Things that cannot be asked what they are. */
const hostile = new Proxy({}, { get: boom, getPrototypeOf: boom, ownKeys: boom, has: boom });
const throwHostile = (): never => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- host code may throw anything
  throw hostile;
};
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const texts = { values: "1", interrupts: null, reply: null, checkpoint: null };
const over = (driver: Partial<ResultDriver>) =>
  resultMethods({ record: () => undefined, read: () => null, ...driver });
const runs = new Map([["run", { status: "running" as const }]]);
const memory = resultMethods(memoryDriver({ runs }));
const record = (values: unknown) => memory.recordResult("run", { values } as RunResult);
const answers = (answer: unknown) => over({ read: () => answer as null }).getResult("run");
const settlesWith = (answer: unknown) =>
  over({ settle: () => answer as null }).settleRun?.("run", { status: "success" });
const marked = markRun({}, { root: "run", turn: 0, message: null });
/** Host code that throws, by where it is called from. */
const CALLED_FROM: Readonly<Record<string, () => unknown>> = {
  "a getter in a value": () =>
    record({
      get x() {
        return boom();
      },
    }),
  "a getter that throws what cannot be read": () =>
    record({
      get x() {
        return throwHostile();
      },
    }),
  "a toJSON": () => record([{ toJSON: boom }]),
  "a toDict": () => record([{ toDict: boom }]),
  "a revoked proxy": () => record({ a: revoked }),
  "a proxy that throws at everything": () => record({ a: hostile }),
  "a BigInt": () => record(1n),
  "a result that is a revoked proxy": () => memory.recordResult("run", revoked as RunResult),
  "a result that cannot be read": () => memory.recordResult("run", hostile as RunResult),
  "the serializer": () => serializeWireJson({ a: [1n] }),
  "a driver's record": () => over({ record: boom }).recordResult("run", { values: {} }),
  "a driver's record that throws what cannot be read": () =>
    over({ record: throwHostile }).recordResult("run", { values: {} }),
  "a driver's record that rejects": () =>
    over({ record: () => Promise.reject(BOOM) }).recordResult("run", { values: {} }),
  "a driver's record that answers a then that throws": () =>
    over({ record: () => ({ then: boom }) }).recordResult("run", { values: {} }),
  "a driver's record that answers a then that cannot be read": () =>
    over({ record: () => hostile as never }).recordResult("run", { values: {} }),
  "a driver's record that answers a revoked proxy": () =>
    over({ record: () => revoked as never }).recordResult("run", { values: {} }),
  "a promise whose constructor throws": () =>
    answers(Object.defineProperty(Promise.resolve(null), "constructor", { get: boom })),
  "a promise whose then throws": () =>
    answers(Object.defineProperty(Promise.resolve(null), "then", { value: boom })),
  "a driver's answer whose members cannot be read": () =>
    answers(Object.defineProperty({}, "values", { get: throwHostile })),
  "a stored text that is not JSON": () => answers({ ...texts, reply: "{" }),
  "an ending whose members cannot be read": () =>
    settlesWith({
      get status() {
        return boom();
      },
      won: true,
    }),
  "a status write": () =>
    new RunSettlement(
      { recordResult: () => Promise.resolve() },
      { runId: "run", kwargs: marked },
    ).settle({ end: "finished", status: "success", result: { values: {} } }, boom),
  "an entry of a snapshot": () => mergeResults({ results: [["run", { values: 1n }]] }),
  "an entry that is a revoked proxy": () => mergeResults({ results: [revoked] }),
  "a list of entries that is a revoked proxy": () => mergeResults({ results: revoked }),
  "the question whether a run is known": () =>
    mergeResults({ results: [["run", { values: 1 }]] }, boom),
  "the question for a copy": () => copiedKwargs(marked, { runs: new Proxy([], { get: boom }) }),
  "the question for a task's first run": () =>
    importedKwargs({ runId: "run", threadId: "thread", kwargs: marked }, boom),
};

/** Host code that throws where the answer is that there is nothing. */
const FORGIVEN: Readonly<Record<string, () => unknown>> = {
  "a mark that cannot be read": () =>
    readMark(new Proxy({ [RUN_MARK_KEY]: 1 }, { getOwnPropertyDescriptor: boom })),
  "a mark that is a getter": () =>
    readMark(Object.defineProperty({}, RUN_MARK_KEY, { get: boom, enumerable: true })),
  "kwargs that are a revoked proxy": () => readMark(revoked),
};

/** Calls it that often, without waiting for the last one before the next. */
async function failures(call: () => unknown, calls: number): Promise<Set<unknown>> {
  const seen = new Set<unknown>();
  const note = (error: unknown) => seen.add(isSkeinResultsError(error) ? error.code : error);
  const fine = () => seen.add("no failure");
  for (let made = 0; made < calls;) {
    const batch: Promise<unknown>[] = [];
    for (; made < calls && batch.length < 500; made += 1) {
      try {
        batch.push(Promise.resolve(call()).then(fine, note));
      } catch (error) {
        note(error);
        batch.push(Promise.resolve());
      }
    }
    await Promise.all(batch);
    // The runner has to hear from this process.
    await setImmediate();
  }
  return seen;
}

describe("host code that throws", () => {
  const kinds = [...Object.entries(CALLED_FROM), ...Object.entries(FORGIVEN)];
  const each = Math.ceil(CALLS / kinds.length);

  it.each(kinds)(
    "in %s harms nothing, and leaves nothing behind in WebAssembly",
    { timeout: 300_000 },
    async (kind, call) => {
      const [failure] = await failures(call, FIRST_CALLS);
      const before = sizes();
      expect([...(await failures(call, each))]).toEqual([failure]);

      expect(failure === "no failure").toBe(kind in FORGIVEN);
      expect(sizes()).toEqual(before);
      await record({ kept: 1 });
      expect(await memory.getResult("run")).toEqual({ values: { kept: 1 } });
    },
  );
});
