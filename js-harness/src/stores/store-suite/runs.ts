import { randomUUID } from "node:crypto";

import { afterEach, describe, expect, it, vi } from "vitest";

import type { RunKwargs, RunStatus } from "../contract.js";
import type { CurrentStore } from "../store-suite.js";

import { newRun, refusal, unknownId } from "./fixtures.js";

export function describeRuns(current: CurrentStore): void {
  describe("runs", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it("reads a run back as it was answered at its creation", async () => {
      const { runs } = current();
      const created = await newRun(current(), {
        metadata: { source: "input" },
        multitask_strategy: "enqueue",
      });

      expect(created).toEqual({
        run_id: created.run_id,
        thread_id: created.thread_id,
        assistant_id: "echo",
        status: "pending",
        metadata: { source: "input" },
        multitask_strategy: "enqueue",
        created_at: created.created_at,
        updated_at: created.created_at,
      });
      expect(await runs.get(created.run_id)).toEqual(created);
    });

    it("refuses a run on an unknown thread and keeps nothing of it", async () => {
      const { runs } = current();
      const run_id = randomUUID();

      await expect(newRun(current(), { run_id, thread_id: unknownId() })).rejects.toEqual(
        refusal(404),
      );
      expect(await runs.get(run_id)).toBeNull();
    });

    it("keeps kwargs beside the row, with every text that an input may hold", async () => {
      const { runs } = current();
      const kwargs: RunKwargs = {
        input: { text: "a\u0000b", half: "\ud83d", answer: false, nothing: null },
        config: { configurable: { model: "small" } },
        webhook: "https://receiver.test/hook",
      };
      const { run_id } = await newRun(current(), { kwargs });

      expect(await runs.getKwargs(run_id)).toEqual(kwargs);
      expect(JSON.stringify(await runs.get(run_id))).not.toContain("receiver.test");
    });

    it("has no kwargs for a run that was created without, and for an unknown one", async () => {
      const { runs } = current();
      const { run_id } = await newRun(current());

      expect(await runs.getKwargs(run_id)).toBeNull();
      expect(await runs.getKwargs(unknownId())).toBeNull();
    });

    it("records the base checkpoint, null included, and leaves the other kwargs alone", async () => {
      const { runs } = current();
      const { run_id } = await newRun(current(), { kwargs: { input: { a: 1 } } });

      await runs.recordBaseCheckpoint(run_id, null);
      expect(await runs.getKwargs(run_id)).toEqual({ input: { a: 1 }, base_checkpoint_id: null });

      await runs.recordBaseCheckpoint(run_id, "c1");
      expect(await runs.getKwargs(run_id)).toEqual({ input: { a: 1 }, base_checkpoint_id: "c1" });
    });

    it("records the base checkpoint of a run without kwargs, and nothing for an unknown one", async () => {
      const { runs } = current();
      const { run_id } = await newRun(current());

      await runs.recordBaseCheckpoint(run_id, "c1");
      await runs.recordBaseCheckpoint(unknownId(), "c1");

      expect(await runs.getKwargs(run_id)).toEqual({ base_checkpoint_id: "c1" });
    });

    it("keeps the order of creation of runs that were created in one millisecond", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
      const { runs, threads } = current();
      const { thread_id } = await threads.create();
      const prefix = randomUUID();
      // Ids that sort against the order of creation: neither a time nor an id may decide.
      const ids = ["d", "b", "c", "a"].map((letter) => `${prefix}-${letter}`);
      for (const run_id of ids) await newRun(current(), { thread_id, run_id });

      expect((await runs.listByThread(thread_id)).map(({ run_id }) => run_id)).toEqual(ids);
      expect(await runs.latestForThread(thread_id)).toMatchObject({ run_id: `${prefix}-a` });

      // A change of an earlier run does not make it a later one.
      await runs.setStatus(`${prefix}-d`, "success");
      expect((await runs.listByThread(thread_id)).map(({ run_id }) => run_id)).toEqual(ids);
      expect(await runs.latestForThread(thread_id)).toMatchObject({ run_id: `${prefix}-a` });

      await runs.delete(`${prefix}-a`);
      expect(await runs.latestForThread(thread_id)).toMatchObject({ run_id: `${prefix}-c` });
    });

    it("has no latest run for a thread without runs", async () => {
      const { runs, threads } = current();
      const { thread_id } = await threads.create();

      expect(await runs.latestForThread(thread_id)).toBeNull();
      expect(await runs.latestForThread(unknownId())).toBeNull();
    });

    it("lists all runs of a thread, or a page of those in one status", async () => {
      const { runs, threads } = current();
      const { thread_id } = await threads.create();
      const ids: string[] = [];
      for (const status of ["success", "error", "success", "success"] as const) {
        ids.push((await newRun(current(), { thread_id, status })).run_id);
      }
      await newRun(current(), { status: "success" });
      const listed = async (query?: Parameters<typeof runs.listByThread>[1]) =>
        (await runs.listByThread(thread_id, query)).map(({ run_id }) => run_id);

      expect(await listed()).toEqual(ids);
      expect(await listed({ status: "success", limit: 1, offset: 1 })).toEqual([ids[2]]);
      expect(await listed({ status: "success", offset: 1 })).toEqual([ids[2], ids[3]]);
      expect(await listed({ status: "timeout" })).toEqual([]);
    });

    it("counts a run as in flight until it is terminal, and an interrupted one is", async () => {
      const { runs } = current();
      const { run_id, thread_id } = await newRun(current());
      const inFlight: RunStatus[] = ["pending", "running"];
      const terminal: RunStatus[] = ["success", "error", "timeout", "interrupted", "cancelled"];

      for (const status of [...inFlight, ...terminal]) {
        await runs.setStatus(run_id, status);
        expect(await runs.hasActiveRun(thread_id)).toBe(inFlight.includes(status));
        expect(await runs.listActiveRuns(thread_id)).toHaveLength(
          inFlight.includes(status) ? 1 : 0,
        );
      }
    });

    it("lists the runs in flight of one thread, or of all", async () => {
      const { runs } = current();
      const one = await newRun(current());
      const other = await newRun(current(), { status: "running" });

      expect(await runs.listActiveRuns(one.thread_id)).toEqual([one]);
      expect(await runs.listActiveRuns()).toEqual(expect.arrayContaining([one, other]));
      await runs.setStatus(one.run_id, "success");
      await runs.setStatus(other.run_id, "success");
      expect(await runs.listActiveRuns(one.thread_id)).toEqual([]);
    });

    it("creates one run on an idle thread, however many ask at the same time", async () => {
      const { runs, threads } = current();
      const { thread_id } = await threads.create();
      const input = { thread_id, assistant_id: "echo", kwargs: { input: 1 } };

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => runs.createIfThreadIdle(input)),
      );

      const created = answers.filter((run) => run !== null);
      expect(created).toHaveLength(1);
      expect(await runs.listByThread(thread_id)).toEqual(created);
      expect(await runs.getKwargs(created[0]?.run_id ?? "")).toEqual({ input: 1 });
    });

    it("creates a run on a thread whose last one was interrupted, and none on an unknown thread", async () => {
      const { runs } = current();
      const { run_id, thread_id } = await newRun(current());
      await runs.setStatus(run_id, "interrupted");

      expect(await runs.createIfThreadIdle({ thread_id, assistant_id: "echo" })).not.toBeNull();
      const unknown = { thread_id: unknownId(), assistant_id: "echo" };
      expect(await runs.createIfThreadIdle(unknown)).toBeNull();
    });

    it("deletes a run with its kwargs, and nothing for an unknown one", async () => {
      const { runs } = current();
      const { run_id, thread_id } = await newRun(current(), { kwargs: { input: 1 } });

      await runs.delete(run_id);
      await runs.delete(unknownId());

      expect(await runs.get(run_id)).toBeNull();
      expect(await runs.getKwargs(run_id)).toBeNull();
      expect(await runs.hasActiveRun(thread_id)).toBe(false);
    });

    it("is not changed by what a caller does to a row or kwargs it was given or gave", async () => {
      const { runs } = current();
      const metadata = { owner: { name: "a" } };
      const kwargs = { input: { list: [1] } };
      const created = await newRun(current(), { metadata, kwargs });
      metadata.owner.name = "changed";
      kwargs.input.list.push(2);
      (created.metadata as typeof metadata).owner.name = "changed";
      const read = (await runs.getKwargs(created.run_id)) as typeof kwargs;
      read.input.list.push(3);
      const listed = await runs.listByThread(created.thread_id);
      (listed[0]?.metadata as typeof metadata).owner.name = "changed";

      expect(await runs.get(created.run_id)).toMatchObject({ metadata: { owner: { name: "a" } } });
      expect(await runs.getKwargs(created.run_id)).toEqual({ input: { list: [1] } });
    });
  });
}
