// Contract 9 over the whole host: rows, results and checkpoints of a copied thread.

import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { readMark, type RunMark } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, postgresBehindPooler, type HostPlace } from "../engine/testing/hosts.js";
import { Gate, inTwoSteps, withRuns, withThreads } from "../engine/testing/store-wrappers.js";
import { openHost, type Host } from "../host.js";
import type { SkeinStore, ThreadRepo } from "../stores/contract.js";

describe.each([...hostKinds, postgresBehindPooler])("copying a thread on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open();
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  /** A second server over the same data, with a store or a saver that behaves otherwise. */
  const over = (store: SkeinStore, saver: BaseCheckpointSaver = host.saver): Promise<Host> =>
    openHost({ store: { ...store, durable: false }, saver, log: () => {} });
  const newThread = async (): Promise<string> => (await host.services().threads.create()).thread_id;
  const task = (root: string): RunMark => ({ root, turn: 0, message: null });
  const turn = async (
    threadId: string,
    assistantId: string,
    request: { input?: unknown; command?: { resume: unknown } },
    on = host,
  ): Promise<string> => {
    const asked = { threadId, assistantId, ...request };
    const { run, outcome } = await on.services().runs.submit(asked, { mark: task });
    await outcome;
    return run.run_id;
  };
  const checkpoints = async (threadId: string): Promise<CheckpointTuple[]> => {
    const tuples: CheckpointTuple[] = [];
    const config = { configurable: { thread_id: threadId } };
    for await (const tuple of host.saver.list(config)) tuples.push(tuple);
    return tuples;
  };
  const withThreadId = (tuples: CheckpointTuple[], threadId: string): CheckpointTuple[] =>
    tuples.map(({ config, parentConfig, ...tuple }) => ({
      ...tuple,
      config: { ...config, configurable: { ...config.configurable, thread_id: threadId } },
      ...(parentConfig
        ? {
            parentConfig: {
              ...parentConfig,
              configurable: { ...parentConfig.configurable, thread_id: threadId },
            },
          }
        : {}),
    }));
  const count = async (): Promise<number[]> => [
    await host.store.threads.count({}),
    (await checkpointThreads(host.saver)).size,
  ];
  const runIds = async (threadId: string): Promise<string[]> =>
    (await host.store.runs.listByThread(threadId)).map(({ run_id }) => run_id);
  const resultOf = (runId: string | undefined) => host.store.runs.getResult?.(String(runId));

  it("keeps every id of the checkpoints but the thread's", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await turn(threadId, "with-subgraph", { input: { value: "Ship it" } });
    const before = await checkpoints(threadId);

    const { thread_id: copy } = await threads.copy(threadId);

    expect(before.length).toBeGreaterThan(4);
    expect(await checkpoints(copy)).toEqual(withThreadId(before, copy));
    expect(await checkpoints(threadId)).toEqual(before);
    const there = await threads.getState(threadId);
    const here = await threads.getState(copy);
    expect(here.tasks).toEqual(there.tasks);
    expect(here.next).toEqual(["inner"]);
    expect(here.checkpoint).toEqual({ ...there.checkpoint, thread_id: copy });
  });

  it("answers every task of the copy with its own result, after the next turn of either too", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    const first = await turn(threadId, "echo", { input: { value: "first" } });
    const second = await turn(threadId, "echo", { input: { value: "second" } });

    const { thread_id: copy } = await threads.copy(threadId);
    await turn(threadId, "echo", { input: { value: "third" } });
    await turn(copy, "echo", { input: { value: "fourth" } });
    await threads.prune({ thread_ids: [copy, threadId], strategy: "keep_latest" });

    const copied = await runIds(copy);
    expect(copied).toHaveLength(3);
    for (const [source, target] of [
      [first, copied[0]],
      [second, copied[1]],
    ]) {
      const original = await resultOf(source);
      expect(await resultOf(target)).toEqual({
        ...original,
        checkpoint: { ...original?.checkpoint, thread_id: copy },
      });
      expect(readMark(await host.store.runs.getKwargs(String(target)))?.root).toBe(target);
    }
    expect((await resultOf(copied[2]))?.values).toEqual({ value: "echo: fourth" });
    expect((await threads.getState(threadId)).values).toEqual({ value: "echo: third" });
  });

  it("lets a paused copy go on without its source", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "with-subgraph", { input: { value: "Ship it" } });
    const { thread_id: copy, status } = await threads.copy(threadId);
    await threads.delete(threadId);

    await turn(copy, "with-subgraph", { command: { resume: "yes" } });

    expect(status).toBe("interrupted");
    expect((await threads.getState(copy)).values).toEqual({
      value: "Ship it or not",
      answer: "yes",
    });
    const [paused, resumed] = await runIds(copy);
    expect((await resultOf(paused))?.interrupts).toBeDefined();
    expect((await resultOf(resumed))?.values).toMatchObject({ answer: "yes" });
  });

  it("can be copied in turn when its source is gone", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const { thread_id: copy } = await threads.copy(threadId);
    await threads.delete(threadId);

    const { thread_id: third } = await threads.copy(copy);
    await threads.delete(copy);

    const [runId] = await runIds(third);
    expect(await resultOf(runId)).toMatchObject({
      values: { value: "echo: first" },
      checkpoint: { thread_id: third },
    });
    const { checkpoint } = await threads.getState(third);
    expect((await resultOf(runId))?.checkpoint).toEqual(checkpoint);
  });

  it("leaves out a run in flight, and what that comes to does not reach the copy", async () => {
    const { runs, threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const slow = { threadId, assistantId: "slow-echo", input: { value: "slow" } };
    const { run, outcome } = await runs.submit(slow, { mark: task });
    await expect.poll(async () => (await runs.get(run.run_id)).status).toBe("running");

    const copy = await threads.copy(threadId);
    await runs.cancel(run.run_id);
    await outcome;

    expect(copy.status).toBe("idle");
    expect(await runIds(copy.thread_id)).toHaveLength(1);
    await turn(copy.thread_id, "echo", { input: { value: "second" } });
    expect(await runIds(copy.thread_id)).toHaveLength(2);
  });

  it.each(["captured and not yet ended", "ended"])(
    "is of one piece while a run of the source is %s",
    async (moment) => {
      const gate = new Gate();
      const store = withRuns(inTwoSteps(host.store), (runs) => ({
        setStatus: async (runId, status, error) => {
          if (status !== "success") return runs.setStatus(runId, status, error);
          if (moment === "ended") await runs.setStatus(runId, status, error);
          await gate.pass();
          return runs.setStatus(runId, status, error);
        },
      }));
      const settling = await over(store);
      const threadId = await newThread();
      const running = turn(threadId, "echo", { input: { value: "second" } }, settling);
      await gate.reached;

      const { thread_id: copy } = await host.services().threads.copy(threadId);
      const before = await host.store.runs.listByThread(copy);
      gate.open();
      await running;

      const after = await host.store.runs.listByThread(copy);
      expect(after).toEqual(before);
      expect(after.map(({ status }) => status)).toEqual(moment === "ended" ? ["success"] : []);
      for (const { run_id } of after) {
        expect((await resultOf(run_id))?.values).toEqual({ value: "echo: second" });
      }
      await settling.close();
    },
  );

  it("does not have a run that ends between the copy of the checkpoints and that of the rows", async () => {
    const threadId = await newThread();
    const first = await turn(threadId, "echo", { input: { value: "first" } });
    const store = withThreads(host.store, (threads) => ({
      copyWithRuns: async (source, copy) => {
        await turn(threadId, "echo", { input: { value: "second" } });
        return (await threads.copyWithRuns?.(source, copy)) ?? threads.copy(source);
      },
    }));
    const late = await over(store);

    const { thread_id: copy } = await late.services().threads.copy(threadId);

    const [copied, ...others] = await host.store.runs.listByThread(copy);
    expect(others).toEqual([]);
    const result = await resultOf(copied?.run_id);
    expect(result?.values).toEqual((await resultOf(first))?.values);
    const ids = (await checkpoints(copy)).map(({ checkpoint }) => checkpoint.id);
    expect(ids).toContain(result?.checkpoint?.checkpoint_id);
    await late.close();
  });

  it("leaves nothing behind if the rows cannot be copied, and can be asked for again", async () => {
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const store = withThreads(host.store, () => ({
      copyWithRuns: () => Promise.reject(new Error("The store is full.")),
    }));
    const failing = await over(store);
    const before = await count();

    await expect(failing.services().threads.copy(threadId)).rejects.toThrow("The store is full.");

    expect(await count()).toEqual(before);
    const { thread_id: copy } = await host.services().threads.copy(threadId);
    expect(await runIds(copy)).toHaveLength(1);
    await failing.close();
  });

  it("copies runs one by one, as ordinary ones, where the store cannot do it in one step", async () => {
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const threads: ThreadRepo = { ...host.store.threads };
    delete threads.copyWithRuns;
    const plain = await over({ ...host.store, threads });

    const { thread_id: copy } = await plain.services().threads.copy(threadId);

    const [copied] = await host.store.runs.listByThread(copy);
    expect(copied).toMatchObject({ status: "success", assistant_id: "echo" });
    const kwargs = await host.store.runs.getKwargs(String(copied?.run_id));
    expect(kwargs).toMatchObject({ input: { value: "first" } });
    expect(readMark(kwargs)).toBeNull();
    expect((await host.services().threads.getState(copy)).values).toEqual({ value: "echo: first" });
    await plain.close();
  });

  it("leaves nothing behind if a run cannot be copied one by one", async () => {
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await turn(threadId, "echo", { input: { value: "second" } });
    const threads: ThreadRepo = { ...host.store.threads };
    delete threads.copyWithRuns;
    let created = 0;
    const store = withRuns({ ...host.store, threads }, (runs) => ({
      create: async (input) => {
        created += 1;
        if (created === 2) throw new Error("The store is full.");
        return runs.create(input);
      },
    }));
    const failing = await over(store);
    const before = await count();

    await expect(failing.services().threads.copy(threadId)).rejects.toThrow("The store is full.");

    expect(created).toBe(2);
    expect(await count()).toEqual(before);
    await failing.close();
  });

  it("is served over HTTP, and answers 404 for an unknown thread", async () => {
    const { url } = await host.listen();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const before = await count();
    const copying = (id: string) => fetch(`${url}/threads/${id}/copy`, { method: "POST" });

    const unknown = await copying("no-such-thread");
    expect(unknown.status).toBe(404);
    expect(await count()).toEqual(before);
    const answer = await copying(threadId);
    const text = await answer.text();

    expect(answer.status, text).toBe(200);
    const copy = JSON.parse(text) as { thread_id: string };
    expect(copy.thread_id).not.toBe(threadId);
    expect(await runIds(copy.thread_id)).toHaveLength(1);
  });
});

/** The threads that a saver has checkpoints of. */
async function checkpointThreads(saver: BaseCheckpointSaver): Promise<Set<string>> {
  const threads = new Set<string>();
  for await (const { config } of saver.list({})) {
    threads.add(String(config.configurable?.["thread_id"]));
  }
  return threads;
}
