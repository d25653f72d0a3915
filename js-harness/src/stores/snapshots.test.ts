// Contract 7: the results of a snapshot attach to the runs that it brings or finds, and replace none.

import { markRun, readMark, type RunResult } from "skein-results";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Run, RunKwargs, SkeinStoreSnapshot, Thread } from "./contract.js";
import { openMemoryStore } from "./memory.js";
import { completeStore, newRun, refusal } from "./store-suite/fixtures.js";
import { postgresBehindPooler, storeKinds, type StorePlace } from "./testing/store-places.js";

const TIME = "2026-01-02T03:04:05.678Z";

const thread = (thread_id: string): [string, Thread] => [
  thread_id,
  {
    thread_id,
    status: "idle",
    metadata: {},
    values: {},
    interrupts: {},
    created_at: TIME,
    updated_at: TIME,
    state_updated_at: TIME,
  },
];
const run = (run_id: string, thread_id = "t1", more: Partial<Run> = {}): [string, Run] => [
  run_id,
  {
    run_id,
    thread_id,
    assistant_id: "echo",
    status: "success",
    metadata: {},
    multitask_strategy: null,
    created_at: TIME,
    updated_at: TIME,
    ...more,
  },
];
const snapshotOf = (rows: Partial<SkeinStoreSnapshot>): SkeinStoreSnapshot => ({
  assistants: [],
  threads: [thread("t1")],
  runs: [run("r1"), run("r2")],
  runKwargs: [],
  ...rows,
});
/** Whatever a file may hold, in the place of entries. */
const withResults = (results: unknown): SkeinStoreSnapshot =>
  ({ ...snapshotOf({}), results }) as SkeinStoreSnapshot;
const valuesOf = (value: unknown): RunResult => ({ values: { value } });

describe.each([...storeKinds, postgresBehindPooler])("a snapshot of $name", (kind) => {
  let place: StorePlace;
  beforeEach(async () => {
    place = await kind.open();
  });
  afterEach(() => place.close());

  const filled = async () => {
    const { store } = place;
    const assistant = await store.assistants.create({ graph_id: "echo", metadata: { a: 1 } });
    const { thread_id } = await store.threads.create({ metadata: { topic: "x" } });
    await store.threads.update(thread_id, { values: { text: "a\u0000b \ud83d" }, error: "late" });
    const first = await newRun(store, {
      thread_id,
      kwargs: markRun({ input: "a\u0000b" }, { root: "first", turn: 0, message: null }),
      run_id: "first",
    });
    const result: RunResult = {
      values: { text: "a\u0000b \ud83d", big: 1e21, zero: 0 },
      interrupts: { task: [{ id: "i1", value: null }] },
      reply: null,
      checkpoint: {
        thread_id,
        checkpoint_ns: "",
        checkpoint_id: "c1",
        checkpoint_map: null,
      },
    };
    await store.runs.settleRun("first", { status: "success", result });
    await store.runs.recordBaseCheckpoint("first", null);
    const failed = await newRun(store, { thread_id });
    const error = { error: "Error", message: "it broke \u0000" };
    await store.runs.settleRun(failed.run_id, { status: "error", error });
    return { assistant, thread_id, first, failed, result };
  };

  it("brings everything into every other store as it was", async () => {
    const { thread_id, result, assistant } = await filled();
    const written = JSON.stringify(await place.store.snapshot());

    for (const target of storeKinds) {
      const other = await target.open();
      await other.store.restore(JSON.parse(written) as SkeinStoreSnapshot);
      const { store } = other;

      expect(await store.assistants.get(assistant.assistant_id)).toEqual(assistant);
      expect(await store.threads.get(thread_id)).toEqual(await place.store.threads.get(thread_id));
      const runs = await store.runs.listByThread(thread_id);
      expect(runs).toEqual(await place.store.runs.listByThread(thread_id));
      for (const { run_id } of runs) {
        expect(await store.runs.getKwargs(run_id)).toEqual(
          await place.store.runs.getKwargs(run_id),
        );
      }
      expect(await store.runs.getResult("first")).toEqual(result);
      expect(await other.count()).toEqual({ threads: 1, runs: 2, results: 1 });
      expect(JSON.parse(JSON.stringify(await store.snapshot()))).toEqual(JSON.parse(written));
      await other.close();
    }
  });

  it("holds results in its own member and nowhere else", async () => {
    await filled();
    await newRun(place.store, { run_id: "canary" });
    await place.store.runs.recordResult("canary", valuesOf("the-canary"));

    const { results, ...rest } = await place.store.snapshot();

    expect(JSON.stringify(results)).toContain("the-canary");
    expect(JSON.stringify(rest)).not.toContain("the-canary");
    expect(results?.map(([runId]) => runId)).toEqual(["first", "canary"]);
  });

  it("holds the rows and the results of one moment", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `run-${index}`);
    const { thread_id } = await place.store.threads.create();
    for (const run_id of ids) {
      await newRun(place.store, { run_id, thread_id });
      await place.store.runs.settleRun(run_id, { status: "success", result: valuesOf(run_id) });
    }

    const taking = Array.from({ length: 5 }, () => place.store.snapshot());
    const deleting = ids.map((id) => place.store.runs.delete(id));
    const [snapshots] = await Promise.all([Promise.all(taking), Promise.all(deleting)]);

    for (const { runs, results } of snapshots) {
      expect(results?.map(([runId]) => runId)).toEqual(runs.map(([runId]) => runId));
    }
  });

  describe("when it is restored", () => {
    it.each([
      ["no results member", snapshotOf({})],
      ["results: undefined", withResults(undefined)],
      ["results: null", withResults(null)],
      ["results: {}", withResults({})],
      ["results: []", withResults([])],
      ["a version of its own", { ...snapshotOf({}), version: 1 }],
    ])("takes one with %s", async (_, snapshot) => {
      await place.store.restore(snapshot);

      expect(await place.count()).toEqual({ threads: 1, runs: 2, results: 0 });
      expect(await place.store.runs.getResult("r1")).toBeNull();
    });

    it.each([
      ["a newer version", { ...snapshotOf({}), version: 99 }],
      ["a newer version as text", { ...snapshotOf({}), version: "99" }],
      ["results that are no list", withResults("none")],
      ["an entry that is null", withResults([["r1", valuesOf(1)], null])],
      [
        "an entry without a run",
        withResults([
          ["r1", valuesOf(1)],
          [null, valuesOf(2)],
        ]),
      ],
      [
        "an entry without values",
        withResults([
          ["r1", valuesOf(1)],
          ["r2", {}],
        ]),
      ],
      ["an entry that is too deep", withResults([["r1", { values: nested(5_000) }]])],
      ["threads that are no list", { ...snapshotOf({}), threads: {} }],
      ["a thread that is null", { ...snapshotOf({}), threads: [thread("t1"), ["t2", null]] }],
      [
        "a run without a thread",
        { ...snapshotOf({}), runs: [run("r1"), ["r2", { run_id: "r2" }]] },
      ],
      ["a run under another id", { ...snapshotOf({}), runs: [run("r1"), ["r3", run("r2")[1]]] }],
      [
        "a run in no known status",
        snapshotOf({ runs: [run("r1", "t1", { status: "won" as "success" })] }),
      ],
      ["a time that is none", snapshotOf({ runs: [run("r1", "t1", { created_at: "soon" })] })],
      ["an id with a NUL", snapshotOf({ runs: [run("r1"), run("a\u0000b")] })],
      ["kwargs that are a text", { ...snapshotOf({}), runKwargs: [["r1", "all"]] }],
      ["nothing at all", null],
    ])("refuses one with %s before anything is written", async (_, snapshot) => {
      await place.store.restore(snapshotOf({ threads: [thread("t0")], runs: [run("r0", "t0")] }));
      const before = await place.count();

      const restoring = place.store.restore(snapshot as unknown as SkeinStoreSnapshot);

      await expect(restoring).rejects.toThrow(/./);
      expect(await place.count()).toEqual(before);
      expect(await place.store.runs.get("r1")).toBeNull();
    });

    it("names the entry that is malformed", async () => {
      const restoring = place.store.restore(
        withResults([
          ["r1", valuesOf(1)],
          ["r2", {}],
        ]),
      );

      await expect(restoring).rejects.toMatchObject({ code: "invalid_snapshot" });
      await expect(restoring).rejects.toThrow(/r2/);
      const rows = place.store.restore(snapshotOf({ runs: [run("r1"), run("r2", "a\u0000b")] }));
      await expect(rows).rejects.toEqual(refusal(400));
      await expect(rows).rejects.toThrow(/runs\[1\]/);
    });

    it("ignores an orphan and what it does not know of an entry, and takes the first of two", async () => {
      await place.store.restore(
        withResults([
          ["nowhere", valuesOf("orphan")],
          ["r1", { ...valuesOf("first"), later: { member: 1 } }],
          ["r1", valuesOf("second")],
          ["r2", valuesOf(2)],
        ]),
      );

      expect(await place.store.runs.getResult("r1")).toEqual(valuesOf("first"));
      expect(await place.store.runs.getResult("r2")).toEqual(valuesOf(2));
      expect(await place.store.runs.getResult("nowhere")).toBeNull();
      await newRun(place.store, { run_id: "nowhere" });
      expect(await place.store.runs.getResult("nowhere")).toBeNull();
    });

    it("attaches to runs that are there already, whatever their status, and replaces no result", async () => {
      const { store } = place;
      for (const run_id of ["r1", "r2", "r3"]) {
        await newRun(store, { run_id, kwargs: { input: "kept" } });
      }
      await store.runs.recordResult("r1", valuesOf("kept"));
      const before = await store.runs.get("r2");

      const snapshot = withResults(["r1", "r2", "r3"].map((id) => [id, valuesOf("imported")]));
      await store.restore(snapshot);
      await store.restore(withResults([["r2", valuesOf("imported again")]]));

      expect(await store.runs.getResult("r1")).toEqual(valuesOf("kept"));
      expect(await store.runs.getResult("r2")).toEqual(valuesOf("imported"));
      expect(await store.runs.getResult("r3")).toEqual(valuesOf("imported"));
      expect(await store.runs.get("r2")).toEqual(before);
      expect(await store.runs.getKwargs("r2")).toEqual({ input: "kept" });
    });

    it("leaves out a run whose thread is neither imported nor there, and its result", async () => {
      await place.store.threads.create({ thread_id: "there" });
      await place.store.restore(
        snapshotOf({
          runs: [run("r1"), run("orphan", "nowhere"), run("r2", "there")],
          results: ["r1", "orphan", "r2"].map((id) => [id, valuesOf(id)]),
        }),
      );

      expect(await place.count()).toEqual({ threads: 2, runs: 2, results: 2 });
      expect(await place.store.runs.get("orphan")).toBeNull();
      expect(await place.store.runs.getResult("orphan")).toBeNull();
    });

    it("keeps the order of the runs, of which the last is the latest", async () => {
      const runs = ["b", "c", "a"].map((id) => run(id));
      await place.store.restore(snapshotOf({ runs }));

      expect((await place.store.runs.listByThread("t1")).map(({ run_id }) => run_id)).toEqual([
        "b",
        "c",
        "a",
      ]);
      expect(await place.store.runs.latestForThread("t1")).toMatchObject({ run_id: "a" });
      const next = await newRun(place.store, { thread_id: "t1" });
      expect(await place.store.runs.latestForThread("t1")).toEqual(next);
    });

    it("lets no mark make a task of another thread's run, nor of one that does not come along", async () => {
      const { store } = place;
      const mark = (root: string, turn: number): RunKwargs =>
        markRun({ input: turn }, { root, turn, message: null });
      await store.threads.create({ thread_id: "theirs" });
      await newRun(store, {
        run_id: "their-task",
        thread_id: "theirs",
        kwargs: mark("their-task", 0),
      });
      await newRun(store, { run_id: "ordinary", thread_id: "theirs", kwargs: { input: 1 } });

      await store.restore(
        snapshotOf({
          runs: ["task", "turn", "stolen", "dangling", "left-out"]
            .map((id) => run(id))
            .concat([run("orphan", "nowhere"), run("ordinary", "theirs")]),
          runKwargs: [
            ["task", mark("task", 0)],
            ["turn", mark("task", 1)],
            ["stolen", mark("their-task", 1)],
            ["dangling", mark("no-such-run", 1)],
            ["left-out", mark("orphan", 1)],
            ["orphan", mark("orphan", 0)],
            ["ordinary", mark("ordinary", 0)],
          ],
        }),
      );

      const rootOf = async (id: string) => readMark(await store.runs.getKwargs(id))?.root;
      expect(await rootOf("task")).toBe("task");
      expect(await rootOf("turn")).toBe("task");
      for (const id of ["stolen", "dangling", "left-out", "ordinary"]) {
        expect(await rootOf(id)).toBeUndefined();
      }
      expect(await store.runs.getKwargs("stolen")).toEqual({ input: 1 });
    });

    it("leaves behind what a row has no place for", async () => {
      const smuggled = { ...run("r1")[1], kwargs: { input: 1 }, result_values: "{}", result: 1 };

      await place.store.restore(snapshotOf({ runs: [["r1", smuggled]] }));

      expect(await place.store.runs.get("r1")).toEqual(run("r1")[1]);
      expect(await place.store.runs.getResult("r1")).toBeNull();
    });

    it("races a capture, and the run has one of the two results as a whole", async () => {
      const { store } = place;
      for (let round = 0; round < 25; round += 1) {
        const run_id = `raced-${round}`;
        await newRun(store, { run_id });
        const capture = { values: { by: "capture" }, reply: "capture" };
        const entry = { values: { by: "import" }, reply: "import" };

        await Promise.all([
          round % 2 ? store.runs.recordResult(run_id, capture) : undefined,
          store.restore(snapshotOf({ runs: [], threads: [], results: [[run_id, entry]] })),
          round % 2 ? undefined : store.runs.recordResult(run_id, capture),
        ]);

        const kept = await store.runs.getResult(run_id);
        expect([capture, entry]).toContainEqual(kept);
      }
    });

    it("does not keep a reference to what it was given", async () => {
      const snapshot = snapshotOf({
        runKwargs: [["r1", { input: { deep: 1 } }]],
        results: [["r1", valuesOf("first")]],
      });
      const restoring = place.store.restore(snapshot);
      await restoring;
      for (const [, row] of snapshot.runs) row.status = "error";
      for (const [, kwargs] of snapshot.runKwargs) kwargs.input = "changed";
      for (const [, result] of snapshot.results ?? []) result.values = { value: "changed" };

      expect(await place.store.runs.get("r1")).toMatchObject({ status: "success" });
      expect(await place.store.runs.getKwargs("r1")).toEqual({ input: { deep: 1 } });
      expect(await place.store.runs.getResult("r1")).toEqual(valuesOf("first"));
    });
  });
});

describe("hydrating a memory store", () => {
  it("replaces all rows and results, also those under the same ids", async () => {
    const { store } = openMemoryStore();
    const old = await newRun(store, { run_id: "r1", kwargs: { input: "old" } });
    await completeStore(store).runs.recordResult("r1", valuesOf("old"));
    const gone = await newRun(store, { run_id: "gone" });
    await completeStore(store).runs.recordResult("gone", valuesOf("gone"));

    store.hydrate(snapshotOf({ results: [["r2", valuesOf("new")]] }));

    expect(await store.threads.get(old.thread_id)).toBeNull();
    expect(await store.runs.get("gone")).toBeNull();
    expect(await store.runs.getKwargs("r1")).toBeNull();
    expect(await completeStore(store).runs.getResult("r1")).toBeNull();
    expect(await completeStore(store).runs.getResult("r2")).toEqual(valuesOf("new"));
    await newRun(store, { run_id: gone.run_id, thread_id: "t1" });
    expect(await completeStore(store).runs.getResult("gone")).toBeNull();
  });

  it("changes nothing if the snapshot cannot be read", async () => {
    const { store } = openMemoryStore();
    await newRun(store, { run_id: "r0" });
    const before = await store.snapshot();

    for (const broken of [withResults([["r1", {}]]), { ...snapshotOf({}), version: 2 }]) {
      expect(() => store.hydrate(broken)).toThrow(/imported/);
    }

    expect(await store.snapshot()).toEqual(before);
  });
});

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
