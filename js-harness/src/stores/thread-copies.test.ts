// Contract 9: a copied thread has the results of its runs, under new ids, from its first moment.

import { markRun, readMark, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Run, RunKwargs } from "./contract.js";
import { memoryThreadCopy } from "./memory/thread-copies.js";
import { emptyTables } from "./memory/tables.js";
import { newRun, refusal, unknownId } from "./store-suite/fixtures.js";
import {
  postgresBehindPooler,
  sqlStoreKinds,
  storeKinds,
  type StorePlace,
} from "./testing/store-places.js";

const at = (threadId: string, checkpointId: string) => ({
  thread_id: threadId,
  checkpoint_ns: "",
  checkpoint_id: checkpointId,
  checkpoint_map: null,
});

describe.each([...storeKinds, postgresBehindPooler])("copying a thread in $name", (kind) => {
  let place: StorePlace;
  beforeAll(async () => {
    place = await kind.open();
  });
  afterAll(() => place.close());

  /** A thread with two tasks: one of two turns, and one that has failed; and an ordinary run. */
  const conversation = async () => {
    const { store } = place;
    const { thread_id } = await store.threads.create({ metadata: { topic: "first" } });
    const result = (text: string): RunResult => ({
      values: { text, thread_id, nested: [{ thread_id }] },
      interrupts: { [thread_id]: [{ id: thread_id, value: thread_id }] },
      reply: thread_id,
      checkpoint: at(thread_id, `checkpoint of ${text}`),
    });
    const add = async (root: Run | null, turn: number, text: string): Promise<Run> => {
      const run_id = unknownId();
      const mark = { root: root?.run_id ?? run_id, turn, message: `"${text}"` };
      const kwargs: RunKwargs = markRun({ input: { thread_id, text } }, mark);
      const run = await newRun(store, { run_id, thread_id, kwargs, metadata: { text } });
      await store.runs.settleRun(run_id, { status: "success", result: result(text) });
      return run;
    };
    const first = await add(null, 0, "first");
    const second = await add(first, 1, "second");
    const failed = await newRun(store, { thread_id, kwargs: markRun({}, markOf("failed")) });
    const error = { error: "Error", message: "it broke" };
    await store.runs.settleRun(failed.run_id, { status: "error", error });
    const ordinary = await newRun(store, { thread_id, kwargs: { input: 1 } });
    await store.runs.settleRun(ordinary.run_id, { status: "success" });
    await store.runs.recordBaseCheckpoint(first.run_id, "base");
    const runs = [first, second, failed, ordinary];
    return { thread_id, result, runs, run_ids: runs.map(({ run_id }) => run_id) };
  };
  const markOf = (root: string) => ({ root, turn: 0, message: null });
  const copyOf = async (source: string, run_ids: readonly string[]) => {
    const copy = unknownId();
    await place.store.threads.copyWithRuns(source, { thread_id: copy, run_ids });
    return { copy, runs: await place.store.runs.listByThread(copy) };
  };

  it("gives each copied run its result, with the checkpoint on the copy and nothing else changed", async () => {
    const { runs } = place.store;
    const { thread_id, result, run_ids } = await conversation();

    const { copy, runs: copied } = await copyOf(thread_id, run_ids);

    expect(copied).toHaveLength(4);
    const [first, second, failed, ordinary] = copied.map(({ run_id }) => run_id);
    for (const [runId, text] of [
      [first, "first"],
      [second, "second"],
    ]) {
      expect(await runs.getResult(String(runId))).toEqual({
        ...result(String(text)),
        checkpoint: at(copy, `checkpoint of ${String(text)}`),
      });
    }
    expect(await runs.getResult(String(failed))).toBeNull();
    expect(await runs.getResult(String(ordinary))).toBeNull();
  });

  it("re-creates the runs in order with new ids, the same end, kwargs and metadata", async () => {
    const { runs } = place.store;
    const { thread_id, run_ids } = await conversation();
    const sources = await runs.listByThread(thread_id);

    const { copy, runs: copied } = await copyOf(thread_id, run_ids.toReversed());

    expect(copied).toEqual(
      sources.map((source, index) => ({
        ...source,
        run_id: copied[index]?.run_id,
        thread_id: copy,
        created_at: copied[index]?.created_at,
        updated_at: copied[index]?.updated_at,
      })),
    );
    expect(new Set([...run_ids, ...copied.map(({ run_id }) => run_id)]).size).toBe(8);
    expect(await runs.latestForThread(copy)).toEqual(copied.at(-1));
    expect(await runs.getKwargs(String(copied[0]?.run_id))).toMatchObject({
      input: { thread_id, text: "first" },
      base_checkpoint_id: "base",
    });
    expect(await runs.getKwargs(String(copied[3]?.run_id))).toEqual({ input: 1 });
  });

  it("names the copies as tasks, and drops the mark of a task that was not copied", async () => {
    const { runs } = place.store;
    const { thread_id, run_ids } = await conversation();

    const { runs: copied } = await copyOf(thread_id, run_ids);

    const marks = await Promise.all(
      copied.map(async ({ run_id }) => readMark(await runs.getKwargs(run_id))),
    );
    const root = copied[0]?.run_id;
    expect(marks).toEqual([
      { root, turn: 0, message: '"first"' },
      { root, turn: 1, message: '"second"' },
      null,
      null,
    ]);
    const [, secondAlone] = run_ids;
    const part = await copyOf(thread_id, [String(secondAlone)]);
    expect(readMark(await runs.getKwargs(String(part.runs[0]?.run_id)))).toBeNull();
  });

  it("leaves out runs in flight, runs of other threads and unknown ones, and is not busy itself", async () => {
    const { runs, threads } = place.store;
    const { thread_id, run_ids } = await conversation();
    const running = await newRun(place.store, { thread_id, status: "running" });
    const other = await newRun(place.store, { status: "success" });
    await threads.update(thread_id, { status: "busy", values: { value: "present" } });

    const asked = [...run_ids, running.run_id, other.run_id, unknownId()];
    const { copy, runs: copied } = await copyOf(thread_id, asked);

    expect(copied).toHaveLength(4);
    expect(await runs.hasActiveRun(copy)).toBe(false);
    expect(await threads.get(copy)).toMatchObject({
      status: "idle",
      metadata: { topic: "first" },
      values: { value: "present" },
    });
  });

  it("outlives its source, and can be copied in turn", async () => {
    const { runs, threads } = place.store;
    const { thread_id, run_ids } = await conversation();
    const second = await copyOf(thread_id, run_ids);
    await threads.delete(thread_id);

    const ids = second.runs.map(({ run_id }) => run_id);
    const third = await copyOf(second.copy, ids);

    for (const { copy, runs: copied } of [second, third]) {
      const results = await Promise.all(copied.map(({ run_id }) => runs.getResult(run_id)));
      expect(results.map((result) => result?.checkpoint?.thread_id)).toEqual([
        copy,
        copy,
        undefined,
        undefined,
      ]);
      expect(results[0]?.values).toMatchObject({ text: "first", thread_id });
      const mark = readMark(await runs.getKwargs(String(copied[1]?.run_id)));
      expect(mark?.root).toBe(copied[0]?.run_id);
    }
  });

  it("does not follow its source, nor the source the copy", async () => {
    const { runs } = place.store;
    const { thread_id, run_ids } = await conversation();
    const { runs: copied } = await copyOf(thread_id, run_ids);
    const [source, copy] = [String(run_ids[0]), String(copied[0]?.run_id)];

    await runs.delete(source);
    expect((await runs.getResult(copy))?.values).toMatchObject({ text: "first" });
    await runs.delete(String(copied[1]?.run_id));

    expect((await runs.getResult(String(run_ids[1])))?.values).toMatchObject({ text: "second" });
  });

  it("copies a run without kwargs, and a thread without runs", async () => {
    const { store } = place;
    const bare = await newRun(store, { status: "cancelled" });
    const { thread_id } = await store.threads.create();

    const { runs: copied } = await copyOf(bare.thread_id, [bare.run_id]);
    const empty = await copyOf(thread_id, []);

    expect(copied).toMatchObject([{ status: "cancelled" }]);
    expect(await store.runs.getKwargs(String(copied[0]?.run_id))).toBeNull();
    expect(empty.runs).toEqual([]);
  });

  it("refuses an unknown source and an id that is taken, and writes nothing", async () => {
    const { threads } = place.store;
    const { thread_id, run_ids } = await conversation();
    const before = await place.count();
    const copying = (source: string, copy: string) =>
      threads.copyWithRuns(source, { thread_id: copy, run_ids });

    await expect(copying(unknownId(), unknownId())).rejects.toEqual(refusal(404));
    await expect(copying("a\u0000b", unknownId())).rejects.toEqual(refusal(404));
    await expect(copying(thread_id, thread_id)).rejects.toEqual(refusal(409));

    expect(await place.count()).toEqual(before);
  });

  it("copies a thousand runs in their order", async () => {
    const { store } = place;
    const { thread_id } = await store.threads.create();
    const runs = Array.from({ length: 1000 }, (_, index): [string, Run] => {
      const run_id = `${thread_id}-${index}`;
      const time = new Date(0).toISOString();
      const times = { created_at: time, updated_at: time };
      const row = { run_id, thread_id, assistant_id: "echo", metadata: { index }, ...times };
      return [run_id, { ...row, status: "success", multitask_strategy: null }];
    });
    const run_ids = runs.map(([id]) => id);
    const results = run_ids.map((id, index): [string, RunResult] => [id, { values: { index } }]);
    await store.restore({ assistants: [], threads: [], runs, runKwargs: [], results });

    const { runs: copied } = await copyOf(thread_id, run_ids);

    expect(copied.map(({ metadata }) => metadata?.["index"])).toEqual(
      runs.map((_, index) => index),
    );
    expect(await store.runs.getResult(String(copied[999]?.run_id))).toEqual({
      values: { index: 999 },
    });
  });
});

describe.each([...sqlStoreKinds, postgresBehindPooler])(
  "a copy that fails half way in $name",
  (kind) => {
    it("leaves nothing, and its source as it was", async () => {
      const place = await kind.open();
      const { runs, threads } = place.store;
      const first = await newRun(place.store);
      const { thread_id } = first;
      const second = await newRun(place.store, { thread_id });
      for (const { run_id } of [first, second]) {
        const result = { values: { run_id }, checkpoint: at(thread_id, "c1") };
        await runs.settleRun(run_id, { status: "success", result });
      }
      await place.damage(second.run_id);
      const run_ids = [first.run_id, second.run_id];

      const copying = threads.copyWithRuns(thread_id, { thread_id: "copy", run_ids });

      await expect(copying).rejects.toThrow(/./);
      expect(await place.count()).toEqual({ threads: 1, runs: 2, results: 2 });
      expect(await threads.get("copy")).toBeNull();
      expect(await runs.getResult(first.run_id)).toMatchObject({
        values: { run_id: first.run_id },
      });
      await place.close();
    });
  },
);

describe("a copy that fails half way in memory", () => {
  it("leaves nothing, and nobody has seen it", async () => {
    const tables = emptyTables();
    const driver = memoryDriver({ runs: tables.runs });
    const time = new Date(0).toISOString();
    const times = { created_at: time, updated_at: time };
    const row = { thread_id: "t1", status: "idle" as const, metadata: {}, ...times };
    tables.threads.set("t1", { ...row, values: {}, interrupts: {}, state_updated_at: time });
    for (const run_id of ["r1", "r2"]) {
      const ended = { status: "success" as const, multitask_strategy: null, metadata: {} };
      tables.runs.set(run_id, {
        run_id,
        thread_id: "t1",
        assistant_id: "echo",
        ...ended,
        ...times,
      });
      tables.runKwargs.set(run_id, { input: run_id });
      const nothing = { interrupts: null, reply: null };
      const checkpoint = run_id === "r1" ? null : "no checkpoint";
      await driver.record(run_id, { values: "1", ...nothing, checkpoint });
    }
    const erased: string[] = [];
    const copyWithRuns = memoryThreadCopy(tables, driver, (runId) => {
      erased.push(runId);
      tables.runs.delete(runId);
      tables.runKwargs.delete(runId);
      driver.erase(runId);
    });

    const copying = copyWithRuns("t1", { thread_id: "copy", run_ids: ["r1", "r2"] });

    expect([...tables.runs.keys()]).toEqual(["r1", "r2"]);
    await expect(copying).rejects.toThrow(/./);
    expect(erased).toHaveLength(2);
    expect([...tables.threads.keys()]).toEqual(["t1"]);
    expect([...tables.runKwargs.keys()]).toEqual(["r1", "r2"]);
  });
});
