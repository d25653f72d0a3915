import { randomUUID } from "node:crypto";

import { afterEach, describe, expect, it, vi } from "vitest";

import type { Thread } from "../contract.js";
import type { CurrentStore } from "../store-suite.js";

import { newRun, refusal, unknownId } from "./fixtures.js";

export function describeThreads(current: CurrentStore): void {
  describe("threads", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it("reads a thread back as it was answered at its creation", async () => {
      const { threads } = current();
      const created = await threads.create({ metadata: { owner: "a" } });

      expect(created).toMatchObject({ status: "idle", values: {}, interrupts: {} });
      expect(created.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(await threads.get(created.thread_id)).toEqual(created);
    });

    it("refuses a thread id that exists and leaves the thread as it was", async () => {
      const { threads } = current();
      const created = await threads.create({ metadata: { owner: "a" } });

      await expect(threads.create({ thread_id: created.thread_id })).rejects.toEqual(refusal(409));
      expect(await threads.get(created.thread_id)).toEqual(created);
    });

    it("names a graph beside the metadata that is there by then, or is given with it", async () => {
      const { threads } = current();
      const { thread_id } = await threads.create({
        metadata: { nested: { a: null }, graph_id: "x" },
      });
      const graph = { graph_id: "echo", assistant_id: 'as"ked' };

      await threads.update(thread_id, { graph });
      expect((await threads.get(thread_id))?.metadata).toEqual({ nested: { a: null }, ...graph });
      expect(await threads.count({ metadata: { graph_id: "echo" }, ids: [thread_id] })).toBe(1);

      const given = { metadata: { owner: "b" }, graph: { ...graph, graph_id: "later" } };
      const { metadata } = await threads.update(thread_id, given);
      expect(metadata).toEqual({ owner: "b", ...graph, graph_id: "later" });
      expect((await threads.update(thread_id, { status: "busy" })).metadata).toEqual(metadata);
    });

    it("updates what is named and leaves the rest", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
      const { threads } = current();
      const created = await threads.create({ metadata: { owner: "a" } });

      vi.setSystemTime(1_700_000_001_000);
      const busy = await threads.update(created.thread_id, { status: "busy" });
      expect(busy).toEqual({
        ...created,
        status: "busy",
        updated_at: new Date(1_700_000_001_000).toISOString(),
      });

      vi.setSystemTime(1_700_000_002_000);
      const interrupts = { task: [{ id: "i1", value: "why?" }] };
      const mirrored = await threads.update(created.thread_id, {
        values: { value: "echo: first" },
        interrupts,
      });
      const at = new Date(1_700_000_002_000).toISOString();
      expect(mirrored).toEqual({
        ...busy,
        values: { value: "echo: first" },
        interrupts,
        updated_at: at,
        state_updated_at: at,
      });
      expect(await threads.get(created.thread_id)).toEqual(mirrored);
    });

    it("keeps a thread's error until it is cleared, and then has none", async () => {
      const { threads } = current();
      const { thread_id } = await threads.create();

      await threads.update(thread_id, { status: "error", error: "it broke" });
      await threads.update(thread_id, { status: "busy" });
      expect(await threads.get(thread_id)).toMatchObject({ error: "it broke" });

      await threads.update(thread_id, { error: null });
      expect(await threads.get(thread_id)).not.toHaveProperty("error");
    });

    it("mirrors every text that a graph's state may hold, NUL and half a surrogate pair included", async () => {
      const { threads } = current();
      const { thread_id } = await threads.create();
      const values = { text: "a\u0000b", half: "x\ud83d", pair: "\u{1F600}", "key\u0000": 1 };

      await threads.update(thread_id, { values, error: "at \u0000" });

      expect(await threads.get(thread_id)).toMatchObject({ values, error: "at \u0000" });
    });

    it("refuses to update or copy an unknown thread", async () => {
      const { threads } = current();

      await expect(threads.update(unknownId(), { status: "busy" })).rejects.toEqual(refusal(404));
      await expect(threads.copy(unknownId())).rejects.toEqual(refusal(404));
    });

    it("finds threads by metadata, status and id, sorted and in pages that the count agrees with", async () => {
      const { threads } = current();
      const group = randomUUID();
      const ids = ["a", "b", "c"].map((letter) => `${group}-${letter}`);
      for (const thread_id of ids) await threads.create({ thread_id, metadata: { group } });
      await threads.update(`${group}-b`, { status: "busy" });
      const found = async (query: Parameters<typeof threads.search>[0]) =>
        (await threads.search({ sortBy: "thread_id", ...query })).map(({ thread_id }) => thread_id);

      const mine = { metadata: { group } };
      expect(await found({ ...mine, sortOrder: "asc" })).toEqual(ids);
      expect(await found(mine)).toEqual(ids.toReversed());
      expect(await found({ ...mine, status: "busy" })).toEqual([ids[1]]);
      expect(await found({ ids: [`${group}-a`, unknownId()] })).toEqual([ids[0]]);
      expect(await found({ ...mine, limit: 1, offset: 2 })).toEqual([ids[0]]);
      expect(await found({ ...mine, ids: [] })).toEqual([]);
      expect(await found({ metadata: { group, other: 1 } })).toEqual([]);
      expect(await threads.count({ ...mine, limit: 1 })).toBe(3);
    });

    it("breaks ties of the sorting by thread id, in the direction of the sorting", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
      const { threads } = current();
      const group = randomUUID();
      const ids = ["a", "B", "c"].map((letter) => `${group}-${letter}`);
      for (const thread_id of ids) await threads.create({ thread_id, metadata: { group } });
      const found = async (sortOrder: "asc" | "desc") =>
        (await threads.search({ metadata: { group }, sortOrder })).map(
          ({ thread_id }) => thread_id,
        );

      expect(await found("asc")).toEqual([ids[1], ids[0], ids[2]]);
      expect(await found("desc")).toEqual([ids[2], ids[0], ids[1]]);
    });

    it("copies the row of a thread under a new id and with new times", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
      const { threads } = current();
      const { thread_id } = await threads.create({ metadata: { owner: "a" } });
      const source = await threads.update(thread_id, {
        status: "error",
        values: { value: 1 },
        error: "it broke",
      });

      vi.setSystemTime(1_700_000_005_000);
      const copied = await threads.copy(thread_id);

      const at = new Date(1_700_000_005_000).toISOString();
      expect(copied).toEqual({
        ...source,
        thread_id: copied.thread_id,
        created_at: at,
        updated_at: at,
        state_updated_at: at,
      } satisfies Thread);
      expect(copied.thread_id).not.toBe(thread_id);
      expect(await threads.get(copied.thread_id)).toEqual(copied);
      expect(await threads.get(thread_id)).toEqual(source);
    });

    it("deletes a thread with its runs and their kwargs, and no other thread's", async () => {
      const { threads, runs } = current();
      const doomed = await newRun(current(), { kwargs: { input: 1 } });
      const spared = await newRun(current());

      await threads.delete(doomed.thread_id);
      await threads.delete(unknownId());

      expect(await threads.get(doomed.thread_id)).toBeNull();
      expect(await runs.get(doomed.run_id)).toBeNull();
      expect(await runs.getKwargs(doomed.run_id)).toBeNull();
      expect(await runs.listByThread(doomed.thread_id)).toEqual([]);
      expect(await runs.get(spared.run_id)).toEqual(spared);
    });

    it("is not changed by what a caller does to a row it was given or gave", async () => {
      const { threads } = current();
      const metadata = { owner: { name: "a" } };
      const created = await threads.create({ metadata });
      metadata.owner.name = "changed by the caller";
      (created.metadata as typeof metadata).owner.name = "changed in the answer";
      const read = await threads.get(created.thread_id);
      (read?.metadata as typeof metadata).owner.name = "changed in what was read";

      expect(await threads.get(created.thread_id)).toMatchObject({
        metadata: { owner: { name: "a" } },
      });
    });

    it("refuses ids that could not be told apart on every store, and knows none of them", async () => {
      const { threads, runs } = current();

      for (const thread_id of ["", "a\u0000b", "half\ud83d", "x".repeat(513)]) {
        await expect(threads.create({ thread_id })).rejects.toEqual(refusal(400));
        expect(await threads.get(thread_id)).toBeNull();
        expect(await runs.get(thread_id)).toBeNull();
        expect(await runs.listByThread(thread_id)).toEqual([]);
        await threads.delete(thread_id);
      }
    });

    it("keeps odd ids apart", async () => {
      const { threads } = current();
      const suffix = randomUUID();
      const odd = ["r'--", 'q"', "\u{1F600}", "x".repeat(300), "%_\\", "e\u0301", "\u00e9"];
      for (const id of odd) {
        await threads.create({ thread_id: `${id}${suffix}`, metadata: { id } });
      }

      for (const id of odd) {
        expect(await threads.get(`${id}${suffix}`)).toMatchObject({ metadata: { id } });
      }
    });

    it("refuses metadata that a searchable column cannot hold, and keeps what only looks like it", async () => {
      const { threads } = current();

      await expect(threads.create({ metadata: { a: "\u0000" } })).rejects.toEqual(refusal(400));
      await expect(threads.create({ metadata: { "\udc00": 1 } })).rejects.toEqual(refusal(400));
      await expect(threads.search({ metadata: { a: "\u0000" } })).rejects.toEqual(refusal(400));
      await expect(threads.count({ ids: ["a\u0000"] })).rejects.toEqual(refusal(400));
      const metadata = { path: "c:\\u0000", escaped: "\\\\ud800", pair: "\u{1F600}" };
      const { thread_id } = await threads.create({ metadata });
      expect(await threads.get(thread_id)).toMatchObject({ metadata });
    });
  });
}
