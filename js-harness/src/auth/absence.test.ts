// Contract 10: a store that cannot keep results still cannot through a wrapper, and is not admitted.

import { requireResultSupport, supportsResults } from "skein-results";
import { describe, expect, it } from "vitest";

import { withRuns, withThreads } from "../engine/testing/store-wrappers.js";
import type { Run, RunRepo, SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import type { Caller } from "./caller.js";
import { scopedStore } from "./scoped-store.js";

const caller: Caller = { tenant: "acme", user: "ann", access: "write" };

const OPTIONAL = [
  "recordResult",
  "getResult",
  "settleRun",
  "cancelRun",
  "startRun",
  "exportResults",
  "finalizeWithDelivery",
  "createOnNewThread",
] as const;
type Optional = (typeof OPTIONAL)[number];

/** The wrappers that this host puts around a store. */
const WRAPPERS: Record<string, (store: SkeinStore) => SkeinStore> = {
  "the scoped store": (store) => scopedStore(store, caller),
  "a scoped store in a scoped store": (store) => scopedStore(scopedStore(store, caller), caller),
  "a spread of its repositories": (store) =>
    withThreads(
      withRuns(store, () => ({})),
      () => ({}),
    ),
};

const own = (): RunRepo => openMemoryStore().store.runs;

/** A repository of a third party's: a class, whose methods need their `this`. */
class ClassRuns {
  #results = new Map<string, unknown>();

  get(runId: string): Promise<Run> {
    const metadata = { owner: { tenant: "acme", user: "ann" } };
    return Promise.resolve({ run_id: runId, thread_id: "t1", metadata } as unknown as Run);
  }

  recordResult(runId: string, result: unknown): Promise<void> {
    this.#results.set(runId, result);
    return Promise.resolve();
  }

  getResult(runId: string): Promise<unknown> {
    return Promise.resolve(this.#results.get(runId) ?? null);
  }
}

const without = (...names: Optional[]): RunRepo => {
  const runs: Partial<RunRepo> = { ...own() };
  for (const name of names) Reflect.deleteProperty(runs, name);
  return runs as RunRepo;
};
const withUndefined = (...names: Optional[]): RunRepo => ({
  ...own(),
  ...Object.fromEntries(names.map((name) => [name, undefined])),
});
const throwing = (...names: Optional[]): RunRepo =>
  names.reduce(
    (runs, name) =>
      Object.defineProperty(runs, name, {
        enumerable: false,
        get: () => {
          throw new Error(`${name} cannot be read.`);
        },
      }),
    without(...names),
  );
const hiding = (...names: Optional[]): RunRepo =>
  new Proxy(own(), {
    get: (runs, name) =>
      names.some((one) => one === name) ? undefined : (Reflect.get(runs, name) as unknown),
    has: () => true,
  });

/** Stores that lack something, and which of the methods they have. */
const LACKING: [string, () => RunRepo, (name: Optional) => boolean][] = [
  ["neither method", () => without(...OPTIONAL), () => false],
  ["recordResult only", () => without("getResult"), (name) => name !== "getResult"],
  ["getResult only", () => without("recordResult"), (name) => name !== "recordResult"],
  ["both as undefined", () => withUndefined(...OPTIONAL), () => false],
  ["one as undefined", () => withUndefined("getResult"), (name) => name !== "getResult"],
  [
    "getters that throw",
    () => throwing("recordResult", "getResult"),
    offeredBut("recordResult", "getResult"),
  ],
  [
    "a proxy that says it has all",
    () => hiding("getResult", "cancelRun"),
    offeredBut("getResult", "cancelRun"),
  ],
  [
    "texts in their place",
    () => ({ ...own(), getResult: "text" }) as unknown as RunRepo,
    offeredBut("getResult"),
  ],
];

function offeredBut(...names: Optional[]): (name: Optional) => boolean {
  return (name) => !names.includes(name);
}

describe.each(Object.entries(WRAPPERS))("%s", (wrapper, wrap) => {
  it.each(LACKING)("around a store with %s has exactly what that has", (name, runsOf, offered) => {
    // A spread reads every getter; what it cannot read is not enumerable here.
    const store = wrap({ ...openMemoryStore().store, runs: runsOf() });

    for (const method of OPTIONAL) {
      const found = typeof Reflect.get(store.runs, method) === "function";
      expect(found, `${wrapper}, ${name}: ${method}`).toBe(offered(method));
    }
    expect(supportsResults(store.runs)).toBe(false);
    expect(() => requireResultSupport(store.runs)).toThrow(
      expect.objectContaining({ code: "results_unsupported" }) as Error,
    );
  });

  it("around a store with all of them has all of them", () => {
    const { runs } = wrap(openMemoryStore().store);

    for (const method of OPTIONAL) expect(runs).toHaveProperty(method, expect.any(Function));
    expect(supportsResults(runs)).toBe(true);
  });
});

describe("the scoped store", () => {
  it("calls the methods of a class on their own object", async () => {
    const runs = new ClassRuns() as unknown as RunRepo;
    const scoped = scopedStore({ ...openMemoryStore().store, runs }, caller);

    expect(supportsResults(scoped.runs)).toBe(true);
    await scoped.runs.recordResult?.("r1", { values: { value: "first" } });

    expect(await scoped.runs.getResult?.("r1")).toEqual({ values: { value: "first" } });
    expect(scoped.runs).not.toHaveProperty("settleRun");
  });

  it("calls through a proxy, which sees every call", async () => {
    const called: string[] = [];
    const inner = new Proxy(new ClassRuns(), {
      get: (runs, name) => {
        const method: unknown = Reflect.get(runs, name);
        if (typeof method !== "function") return method;
        return (...given: unknown[]): unknown => {
          called.push(String(name));
          return Reflect.apply(method, runs, given);
        };
      },
    });
    const store = { ...openMemoryStore().store, runs: inner as unknown as RunRepo };

    const scoped = scopedStore(store, caller);
    await scoped.runs.recordResult?.("r1", { values: { value: "first" } });
    await scoped.runs.getResult?.("r1");

    expect(called).toEqual(["get", "recordResult", "get", "getResult"]);
  });

  it("has copyWithRuns and a bound on its pages only where the store has them", () => {
    const { threads, ...rest } = openMemoryStore().store;
    const bare = { ...threads };
    delete bare.copyWithRuns;
    const { maxPageSize: _size, durable: _durable, ...unbound } = { ...rest, threads: bare };

    const scoped = scopedStore(unbound, caller);

    expect(scoped.threads).not.toHaveProperty("copyWithRuns");
    expect(scoped).not.toHaveProperty("maxPageSize");
    expect(scoped).not.toHaveProperty("durable");
    expect(scopedStore({ ...rest, threads }, caller).threads).toHaveProperty("copyWithRuns");
  });

  it("keeps what a class has as a getter", () => {
    class ClassStore {
      readonly #store = openMemoryStore({ maxPageSize: 7 }).store;
      get runs() {
        return this.#store.runs;
      }
      get threads() {
        return this.#store.threads;
      }
      get assistants() {
        return this.#store.assistants;
      }
      get maxPageSize() {
        return this.#store.maxPageSize ?? 0;
      }
    }

    expect(scopedStore(new ClassStore(), caller).maxPageSize).toBe(7);
  });
});
