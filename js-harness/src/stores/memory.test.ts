import { describe, expect, it } from "vitest";

import { openMemoryStore } from "./memory.js";
import { describeStore } from "./store-suite.js";
import { newRun, completeStore } from "./store-suite/fixtures.js";

describeStore("memory", { open: () => Promise.resolve(openMemoryStore()), lasting: false });

describe("a memory store", () => {
  it("writes a run over under an id that exists, and nothing of the old one stays", async () => {
    const { store } = openMemoryStore();
    const old = await newRun(store, { metadata: { turn: 1 }, kwargs: { input: "old" } });
    await completeStore(store).runs.settleRun(old.run_id, {
      status: "error",
      error: { error: "Error", message: "it broke" },
    });
    await completeStore(store).runs.recordResult(old.run_id, { values: { value: "old" } });
    const between = await newRun(store, { thread_id: old.thread_id });

    const written = await newRun(store, { run_id: old.run_id, thread_id: old.thread_id });

    expect(await store.runs.get(old.run_id)).toEqual(written);
    expect(written).toMatchObject({ status: "pending", metadata: {} });
    expect(written).not.toHaveProperty("error");
    expect(await store.runs.getKwargs(old.run_id)).toBeNull();
    expect(await completeStore(store).runs.getResult(old.run_id)).toBeNull();
    expect(await store.runs.listByThread(old.thread_id)).toEqual([between, written]);
  });

  it("keeps the run under an id that exists if the new one is refused", async () => {
    const { store } = openMemoryStore();
    const run = await newRun(store);

    await expect(newRun(store, { run_id: run.run_id, thread_id: "none" })).rejects.toMatchObject({
      status: 404,
    });

    expect(await store.runs.get(run.run_id)).toEqual(run);
  });

  it("says that it does not last", () => {
    expect(openMemoryStore().store.durable).toBe(false);
  });

  it("bounds readings without a limit by its page size", async () => {
    const { store } = openMemoryStore({ maxPageSize: 2 });
    for (let index = 0; index < 3; index += 1) await newRun(store);

    expect(store.maxPageSize).toBe(2);
    expect(await store.threads.list()).toHaveLength(2);
    expect(await store.threads.search({ limit: 3 })).toHaveLength(2);
    expect(await store.runs.listActiveRuns()).toHaveLength(2);
    expect(() => openMemoryStore({ maxPageSize: 0 })).toThrow(RangeError);
  });
});
