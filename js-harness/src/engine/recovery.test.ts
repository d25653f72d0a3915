import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { markRun } from "skein-results";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openHost, type Host } from "../host.js";
import type { RunStatus } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { postgres, sqlite, type HostPlace } from "./testing/hosts.js";
import { Gate } from "./testing/store-wrappers.js";

describe.each([sqlite, postgres])("a process that left runs in flight on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  beforeEach(async () => {
    place = await kind.prepare();
  });
  afterEach(async () => {
    await host.close();
    await place.remove();
  });

  /** Leaves a run in the store as a process does that dies: nothing else of it is there. */
  async function leave(status: RunStatus, threadId: string, value: string): Promise<string> {
    const run = await host.store.runs.create({
      thread_id: threadId,
      assistant_id: "echo",
      status,
      kwargs: markRun({ input: { value } }, { root: "task", turn: 0, message: null }),
    });
    return run.run_id;
  }

  it("finds them executed when it is opened again, in order, with their results", async () => {
    host = await place.open();
    const { thread_id } = await host.services().threads.create();
    const left: string[] = [];
    left.push(await leave("running", thread_id, "first"));
    left.push(await leave("pending", thread_id, "second"));
    await host.close();

    host = await place.open();
    const ended = await Promise.all(left.map((runId) => host.services().runs.wait(runId)));

    expect(ended.map((run) => run?.status)).toEqual(["success", "success"]);
    const resultOf = async (runId: string) => host.store.runs.getResult?.(runId);
    const results = await Promise.all(left.map(resultOf));
    expect(results.map((result) => result?.values)).toEqual([
      { value: "echo: first" },
      { value: "echo: second" },
    ]);
    expect((await host.services().threads.getState(thread_id)).values).toEqual({
      value: "echo: second",
    });
  });

  it("finds executed what waited in the queue of a host that was closed", async () => {
    host = await place.open();
    const { runs, threads } = host.services();
    const { thread_id: threadId } = await threads.create();
    const slow = await runs.submit({ threadId, assistantId: "slow-echo", input: { value: "a" } });
    const waiting = await runs.submit({
      threadId,
      assistantId: "echo",
      input: { value: "b" },
      multitaskStrategy: "enqueue",
    });
    // A run that the close finds not yet begun would be left for the next host, as the waiting one is.
    await vi.waitFor(async () => {
      expect(await runs.get(slow.run.run_id)).toMatchObject({ status: "running" });
    }, 10_000);
    await host.close();
    expect(await slow.outcome).toEqual({ status: "cancelled" });
    expect(await waiting.outcome).toBeNull();

    host = await place.open();

    const { run_id } = waiting.run;
    expect(await host.services().runs.wait(run_id)).toMatchObject({ status: "success" });
  });

  it("keeps the results of runs that had ended", async () => {
    host = await place.open();
    const { thread_id } = await host.services().threads.create();
    const request = { threadId: thread_id, assistantId: "echo", input: { value: "first" } };
    const mark = (root: string) => ({ root, turn: 0, message: null });
    const { run, outcome } = await host.services().runs.submit(request, { mark });
    await outcome;
    await host.close();

    host = await place.open();

    expect(await host.services().runs.get(run.run_id)).toMatchObject({ status: "success" });
    expect(await host.store.runs.getResult?.(run.run_id)).toMatchObject({
      values: { value: "echo: first" },
    });
  });
});

describe("a process that left more runs in flight than a page of the store", () => {
  it("finds all of them executed", async () => {
    const store = { ...openMemoryStore({ maxPageSize: 2 }).store, durable: true };
    const left: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const { thread_id } = await store.threads.create();
      const kwargs = { input: { value: String(index) } };
      const run = await store.runs.create({ thread_id, assistant_id: "echo", kwargs });
      left.push(run.run_id);
    }

    const host = await openHost({ store, saver: new MemorySaver(), log: () => {} });
    const ended = await Promise.all(left.map((runId) => host.services().runs.wait(runId)));

    expect(ended.map((run) => run?.status)).toEqual(left.map(() => "success"));
    await host.close();
  });
});

describe("a run that another process went a part of the way with, and died", () => {
  it("is undone to where that process began, also where it was waited for meanwhile", async () => {
    const store = { ...openMemoryStore().store, durable: true };
    const { thread_id } = await store.threads.create();
    const { run_id } = await store.runs.create({ thread_id, assistant_id: "echo" });
    const claim = new Gate();
    const release = (): Promise<void> => Promise.resolve();
    const gate = { acquire: () => claim.pass().then(() => ({ release })) };

    const host = await openHost({ store, saver: new MemorySaver(), gate, log: () => {} });
    await claim.reached;
    await store.runs.recordBaseCheckpoint(run_id, "noted by the other");
    claim.open();
    await host.services().runs.wait(run_id);

    expect(await store.runs.getKwargs(run_id)).toEqual({
      base_checkpoint_id: "noted by the other",
    });
    await host.close();
  });
});

describe("two hosts on one Postgres", () => {
  let place: HostPlace;
  let first: Host;
  let threadId: string;
  beforeEach(async () => {
    place = await postgres.prepare();
    first = await place.open();
    threadId = (await first.services().threads.create()).thread_id;
  });
  afterEach(async () => {
    await first.close();
    await place.remove();
  });

  const submitSlow = async (value: string, milliseconds: number, strategy?: "rollback") => {
    const request = { threadId, assistantId: "slow-echo", input: { value, milliseconds } };
    const { runs } = first.services();
    const submitted = await runs.submit({
      ...request,
      ...(strategy ? { multitaskStrategy: strategy } : {}),
    });
    const { run_id } = submitted.run;
    await expect.poll(async () => (await first.store.runs.get(run_id))?.status).toBe("running");
    return submitted;
  };
  it("do not execute a run twice when one opens while the other executes it", async () => {
    const { run, outcome } = await submitSlow("once", 1_500);

    const second = await place.open();
    const ended = await second.services().runs.wait(run.run_id);
    await outcome;
    await second.close();

    expect(ended?.status).toBe("success");
    // The input, and the one step: a second execution would have added its own.
    expect(await first.services().threads.history(threadId)).toHaveLength(3);
  });

  it("do not undo a second time what a run has displaced", async () => {
    await submitSlow("displaced", 30_000);
    const { run, outcome } = await submitSlow("kept", 1_500, "rollback");

    const second = await place.open();
    await second.services().runs.wait(run.run_id);
    await outcome;
    await second.close();

    const { values } = await first.services().threads.getState(threadId);
    expect(values).toMatchObject({ value: "echo: kept" });
  });
});
