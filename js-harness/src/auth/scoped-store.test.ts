// Contract 11: what belongs to somebody else is answered as what does not exist.

import { markRun, readMark, type RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { SkeinHttpError, type SkeinStore } from "../stores/contract.js";
import {
  deliveryFor,
  newRun,
  unknownId,
  type CompleteStore,
} from "../stores/store-suite/fixtures.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

import type { Caller } from "./caller.js";
import { scopedStore } from "./scoped-store.js";

const ann: Caller = { tenant: "acme", user: "ann", access: "write" };
const annReading: Caller = { ...ann, access: "read" };
const bob: Caller = { ...ann, user: "bob" };
const annElsewhere: Caller = { ...ann, tenant: "globex" };
const strangers = [
  ["another user of the tenant", bob],
  ["the user of that name in another tenant", annElsewhere],
  ["a user called like both", { ...ann, tenant: "acme/ann", user: "" }],
] as const;

const RESULT: RunResult = { values: { secret: "the secret" }, reply: "the secret" };

/** The methods that a scoped store has when its store has them. */
type Scoped = Omit<CompleteStore, "deliveries" | "snapshot" | "restore">;
const scoped = (store: SkeinStore, caller: Caller): Scoped => scopedStore(store, caller) as Scoped;

/** What a call came to, with the ids taken out, so that two can be compared. */
async function outcomeOf(call: () => Promise<unknown>, ...ids: string[]): Promise<unknown> {
  const withoutIds = (text: string): string =>
    ids.reduce((left, id) => left.replaceAll(id, "<id>"), text);
  try {
    return withoutIds(JSON.stringify({ answer: await call() }));
  } catch (error) {
    if (!(error instanceof SkeinHttpError)) throw error;
    return withoutIds(JSON.stringify({ status: error.status, message: error.message }));
  }
}

/** Everything that can be asked about a run. */
const RUN_CALLS: Record<string, (store: Scoped, runId: string) => Promise<unknown>> = {
  get: ({ runs }, id) => runs.get(id),
  getKwargs: ({ runs }, id) => runs.getKwargs(id),
  getResult: ({ runs }, id) => runs.getResult(id),
  exportResults: ({ runs }, id) => runs.exportResults([id]),
  recordResult: ({ runs }, id) => runs.recordResult(id, { values: { by: "somebody else" } }),
  settleRun: ({ runs }, id) => runs.settleRun(id, { status: "success", result: { values: {} } }),
  cancelRun: ({ runs }, id) => runs.cancelRun(id),
  startRun: ({ runs }, id) => runs.startRun(id),
  setStatus: ({ runs }, id) => runs.setStatus(id, "cancelled"),
  recordBaseCheckpoint: ({ runs }, id) => runs.recordBaseCheckpoint(id, "c1"),
  finalizeWithDelivery: ({ runs }, id) =>
    runs.finalizeWithDelivery(id, { status: "error", delivery: deliveryFor("t1") }),
  delete: ({ runs }, id) => runs.delete(id),
};

/** Everything that can be asked about a thread. */
const THREAD_CALLS: Record<string, (store: Scoped, threadId: string) => Promise<unknown>> = {
  get: ({ threads }, id) => threads.get(id),
  search: ({ threads }, id) => threads.search({ ids: [id] }),
  count: ({ threads }, id) => threads.count({ ids: [id] }),
  update: ({ threads }, id) => threads.update(id, { metadata: { mine: true } }),
  copy: ({ threads }, id) => threads.copy(id),
  copyWithRuns: ({ threads }, id) =>
    threads.copyWithRuns(id, { thread_id: unknownId(), run_ids: [] }),
  delete: ({ threads }, id) => threads.delete(id),
  listByThread: ({ runs }, id) => runs.listByThread(id),
  listActiveRuns: ({ runs }, id) => runs.listActiveRuns(id),
  hasActiveRun: ({ runs }, id) => runs.hasActiveRun(id),
  latestForThread: ({ runs }, id) => runs.latestForThread(id),
  "create a run": ({ runs }, id) => runs.create({ thread_id: id, assistant_id: "echo" }),
  "create a run if idle": ({ runs }, id) =>
    runs.createIfThreadIdle({ thread_id: id, assistant_id: "echo" }),
};

const WRITES = new Set([
  "recordResult",
  "settleRun",
  "cancelRun",
  "startRun",
  "setStatus",
  "recordBaseCheckpoint",
  "finalizeWithDelivery",
  "delete",
  "update",
  "copy",
  "copyWithRuns",
  "create a run",
  "create a run if idle",
]);

describe.each(storeKinds)("a scoped store over $name", (kind) => {
  let place: StorePlace;
  beforeAll(async () => {
    place = await kind.open();
  });
  afterAll(() => place.close());

  /** A run of Ann's that is in flight and has a result already, as a store in two steps makes it. */
  const annsRun = async () => {
    const store = scoped(place.store, ann);
    const { thread_id } = await store.threads.create({ metadata: { topic: "secret topic" } });
    const run_id = unknownId();
    const kwargs = markRun({ input: "secret input" }, { root: run_id, turn: 0, message: null });
    await store.runs.create({ thread_id, assistant_id: "echo", run_id, kwargs });
    await store.runs.recordResult(run_id, RESULT);
    return { thread_id, run_id };
  };
  const everything = async ({ thread_id, run_id }: { thread_id: string; run_id: string }) => {
    const { runs, threads } = place.store;
    return {
      thread: await threads.get(thread_id),
      runs: await runs.listByThread(thread_id),
      kwargs: await runs.getKwargs(run_id),
      result: await runs.getResult(run_id),
    };
  };

  it("gives the owner what is there, and writes the owner into what is created", async () => {
    const { thread_id, run_id } = await annsRun();
    const store = scoped(place.store, ann);

    expect(await store.runs.getResult(run_id)).toEqual(RESULT);
    expect(await store.runs.get(run_id)).toMatchObject({
      metadata: { owner: { tenant: "acme", user: "ann" } },
    });
    expect(await store.threads.get(thread_id)).toMatchObject({
      metadata: { topic: "secret topic", owner: { tenant: "acme", user: "ann" } },
    });
    expect(await store.runs.exportResults([run_id])).toEqual([[run_id, RESULT]]);
    expect(await store.runs.settleRun(run_id, { status: "success" })).toMatchObject({ won: true });
    expect(await store.runs.latestForThread(thread_id)).toMatchObject({ status: "success" });
  });

  describe.each(strangers)("for %s", (_, stranger) => {
    it.each(Object.keys(RUN_CALLS))("answers %s of a run as for an unknown one", async (name) => {
      const found = await annsRun();
      const unknown = unknownId();
      const before = await everything(found);
      const store = scoped(place.store, stranger);
      const call = RUN_CALLS[name] ?? (() => Promise.reject(new Error("no call")));

      const foreign = await outcomeOf(() => call(store, found.run_id), found.run_id);

      expect(foreign).toEqual(await outcomeOf(() => call(store, unknown), unknown));
      expect(foreign).not.toContain("secret");
      expect(await everything(found)).toEqual(before);
    });

    it.each(Object.keys(THREAD_CALLS))(
      "answers %s of a thread as for an unknown one",
      async (name) => {
        const found = await annsRun();
        const unknown = unknownId();
        const before = await everything(found);
        const counts = await place.count();
        const store = scoped(place.store, stranger);
        const call = THREAD_CALLS[name] ?? (() => Promise.reject(new Error("no call")));

        const foreign = await outcomeOf(() => call(store, found.thread_id), found.thread_id);

        expect(foreign).toEqual(await outcomeOf(() => call(store, unknown), unknown));
        expect(foreign).not.toContain("secret");
        expect(await everything(found)).toEqual(before);
        expect(await place.count()).toEqual(counts);
      },
    );

    it("lists nothing of theirs, whatever is asked for", async () => {
      const { thread_id, run_id } = await annsRun();
      const { threads, runs } = scoped(place.store, stranger);
      const owner = { tenant: "acme", user: "ann" };

      const lists = [
        await threads.list(),
        await threads.search({}),
        await threads.search({ metadata: { owner } }),
        await threads.search({ metadata: { owner: { tenant: stranger.tenant, user: "ann" } } }),
        await threads.search({ metadata: { topic: "secret topic" } }),
        await runs.listActiveRuns(),
      ];

      expect(JSON.stringify(lists)).not.toContain(thread_id);
      expect(JSON.stringify(lists)).not.toContain(run_id);
      expect(await threads.count({ metadata: { topic: "secret topic" } })).toBe(0);
      expect(await threads.count({ metadata: { owner } })).toBe(0);
    });

    it("gives no access by lineage: a task that names a run of somebody else's shows nothing of it", async () => {
      const found = await annsRun();
      const store = scoped(place.store, stranger);
      const { thread_id } = await store.threads.create();
      const kwargs = markRun({}, { root: found.run_id, turn: 1, message: null });
      const own = await store.runs.create({ thread_id, assistant_id: "echo", kwargs });
      await store.runs.recordResult(own.run_id, { values: { mine: true } });

      expect(readMark(await store.runs.getKwargs(own.run_id))?.root).toBe(found.run_id);
      expect(await store.runs.getResult(found.run_id)).toBeNull();
      expect(await store.runs.exportResults([own.run_id, found.run_id])).toEqual([
        [own.run_id, { values: { mine: true } }],
      ]);
      expect(await scoped(place.store, ann).runs.getResult(own.run_id)).toBeNull();
    });

    it("takes over neither a thread nor a run by its id", async () => {
      const found = await annsRun();
      const before = await everything(found);
      const store = scoped(place.store, stranger);
      const { thread_id } = await store.threads.create();
      const { run_id } = found;

      await expect(store.threads.create({ thread_id: found.thread_id })).rejects.toMatchObject({
        status: 404,
      });
      const taking = { run_id, thread_id, assistant_id: "echo" };
      await expect(store.runs.create(taking)).rejects.toMatchObject({ status: 409 });
      await expect(store.runs.createIfThreadIdle(taking)).rejects.toMatchObject({ status: 409 });

      expect(await everything(found)).toEqual(before);
    });
  });

  it("lets nobody write an owner into metadata, nor out of it", async () => {
    const owner = { tenant: "acme", user: "ann" };
    const store = scoped(place.store, bob);
    const { thread_id } = await store.threads.create({ metadata: { owner } });
    const run = await store.runs.create({ thread_id, assistant_id: "echo", metadata: { owner } });
    for (const metadata of [{ owner }, { owner: null }, {}, { owner: { ...owner, user: "ann" } }]) {
      await store.threads.update(thread_id, { metadata });
    }

    expect(await scoped(place.store, ann).threads.get(thread_id)).toBeNull();
    expect(await scoped(place.store, ann).runs.get(run.run_id)).toBeNull();
    expect(await store.threads.get(thread_id)).not.toBeNull();
    expect(await store.runs.get(run.run_id)).not.toBeNull();
  });

  it.each(["none", { owner: "ann" }, { owner: ["acme", "ann"] }, { owner: { user: "ann" } }])(
    "shows a row whose owner is %j to nobody",
    async (metadata) => {
      const row = typeof metadata === "string" ? {} : { metadata };
      const thread = await place.store.threads.create(row);
      const run = await newRun(place.store, { thread_id: thread.thread_id, ...row });

      for (const caller of [ann, bob, annElsewhere]) {
        expect(await scoped(place.store, caller).threads.get(thread.thread_id)).toBeNull();
        expect(await scoped(place.store, caller).runs.get(run.run_id)).toBeNull();
      }
    },
  );

  describe("for somebody who may only read", () => {
    it("reads what is the owner's", async () => {
      const { thread_id, run_id } = await annsRun();
      const { runs, threads } = scoped(place.store, annReading);

      expect(await runs.getResult(run_id)).toEqual(RESULT);
      expect(await runs.exportResults([run_id])).toHaveLength(1);
      expect(await runs.listByThread(thread_id)).toHaveLength(1);
      expect(await threads.get(thread_id)).not.toBeNull();
    });

    it("refuses each write alike for the owner's, for somebody else's and for an unknown one", async () => {
      const found = await annsRun();
      const before = await everything(found);
      const counts = await place.count();
      const store = scoped(place.store, annReading);
      const foreign = scoped(place.store, { ...annReading, user: "bob" });

      for (const [calls, id] of [
        [RUN_CALLS, found.run_id],
        [THREAD_CALLS, found.thread_id],
      ] as const) {
        for (const [name, call] of Object.entries(calls)) {
          if (!WRITES.has(name)) continue;
          for (const asking of [
            () => call(store, id),
            () => call(foreign, id),
            () => call(store, unknownId()),
          ]) {
            await expect(asking(), name).rejects.toMatchObject({ status: 403 });
          }
        }
      }
      await expect(store.threads.create()).rejects.toMatchObject({ status: 403 });
      await expect(store.assistants.create({ graph_id: "echo" })).rejects.toMatchObject({
        status: 403,
      });
      await expect(store.assistants.delete("echo")).rejects.toMatchObject({ status: 403 });

      expect(await everything(found)).toEqual(before);
      expect(await place.count()).toEqual(counts);
    });
  });

  it("keeps a result as it was when the method was called", async () => {
    const store = scoped(place.store, ann);
    const { thread_id } = await store.threads.create();
    for (const way of ["record", "settle"]) {
      const { run_id } = await store.runs.create({ thread_id, assistant_id: "echo" });
      const result = { values: { list: ["called"] }, reply: ["called"] };
      const expected = structuredClone(result);

      const writing =
        way === "record"
          ? store.runs.recordResult(run_id, result)
          : store.runs.settleRun(run_id, { status: "success", result });
      result.values.list[0] = "changed";
      result.reply.push("changed");
      await writing;

      expect(await store.runs.getResult(run_id)).toEqual(expected);
    }
  });

  it("refuses a result that cannot be kept as the store does, and keeps nothing", async () => {
    const { run_id } = await newRun(place.store, {
      metadata: { owner: { tenant: "acme", user: "ann" } },
    });
    const broken = { values: { n: 5n } };

    for (const runs of [place.store.runs, scoped(place.store, ann).runs]) {
      await expect(runs.recordResult(run_id, broken)).rejects.toMatchObject({
        code: "not_serializable",
      });
      const settle = { status: "success" as const, result: broken };
      await expect(runs.settleRun(run_id, settle)).rejects.toMatchObject({
        code: "not_serializable",
      });
    }

    expect(await place.store.runs.get(run_id)).toMatchObject({ status: "pending" });
    expect(await place.store.runs.getResult(run_id)).toBeNull();
  });

  it("pages through the caller's own runs, and sees all that hold a thread", async () => {
    const store = scoped(place.store, ann);
    const { thread_id } = await store.threads.create();
    const foreign = await newRun(place.store, { thread_id });
    const own = [];
    for (let index = 0; index < 3; index += 1) {
      own.push(await store.runs.create({ thread_id, assistant_id: "echo" }));
    }

    expect(await store.runs.listByThread(thread_id)).toEqual(own);
    expect(await store.runs.listByThread(thread_id, { offset: 1, limit: 1 })).toEqual([own[1]]);
    expect(await store.runs.listByThread(thread_id, { status: "success" })).toEqual([]);
    for (const { run_id } of own) await store.runs.delete(run_id);
    expect(await store.runs.hasActiveRun(thread_id)).toBe(true);
    expect(await store.runs.createIfThreadIdle({ thread_id, assistant_id: "echo" })).toBeNull();
    expect(await store.runs.get(foreign.run_id)).toBeNull();
  });

  it("makes threads with their runs for the caller, and none in place of somebody else's", async () => {
    const store = scoped(place.store, ann);
    const { assistant_id } = await place.store.assistants.create({ graph_id: "echo" });
    const input = { thread_id: unknownId(), assistant_id };
    const foreign = await scoped(place.store, bob).threads.create();
    const pretended = { metadata: { owner: { tenant: "acme", user: "bob" }, own: 1 } };

    const created = await store.runs.createOnNewThread(input, pretended);

    expect(await store.threads.get(input.thread_id)).toMatchObject({ metadata: { own: 1 } });
    expect(await store.runs.get(created?.run.run_id ?? "")).toEqual(created?.run);
    expect(await scoped(place.store, bob).threads.get(input.thread_id)).toBeNull();
    const onForeign = { ...input, thread_id: foreign.thread_id };
    expect(await store.runs.createOnNewThread(onForeign)).toBeNull();
    expect(await place.store.runs.listByThread(foreign.thread_id)).toEqual([]);
    const reading = scoped(place.store, annReading);
    await expect(reading.runs.createOnNewThread(input)).rejects.toMatchObject({ status: 403 });
  });

  it("has nothing of the server's own, and nothing that nobody has thought about", () => {
    const inner = { ...place.store, later: () => "unscoped" };
    const runs = { ...place.store.runs, later: () => "unscoped" };

    const store = scopedStore({ ...inner, runs }, ann);

    const names = ["assistants", "durable", "maxPageSize", "runs", "threads"];
    expect(Object.keys(store).sort()).toEqual(names);
    expect(store.durable).toBe(place.store.durable);
    expect(store.maxPageSize).toBe(place.store.maxPageSize);
    expect(place.store.threads).toHaveProperty("listExpired");
    expect(store.threads).not.toHaveProperty("listExpired");
    expect(place.store.runs).toHaveProperty("attachResults");
    for (const name of ["later", "attachResults", "copyResults"]) {
      expect(store.runs).not.toHaveProperty(name);
    }
  });
});
