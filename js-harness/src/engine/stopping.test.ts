import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { slowEcho } from "../graphs/slow-echo.js";
import { openMemoryHost, type Host, type HostSettings } from "../host.js";

import type { SubmittedRun } from "./admission.js";
import type { CompiledGraph, Graph, GraphCallOptions } from "./graph.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

let host: Host;
let threadId: string;

async function open(settings: HostSettings = {}): Promise<void> {
  host = await openMemoryHost({ log: () => {}, shutdownGraceMs: 50, ...settings });
  threadId = (await host.services().threads.create()).thread_id;
}

async function startSlow(): Promise<SubmittedRun> {
  const request = { threadId, assistantId: "slow-echo", input: { value: "slow" } };
  const submitted = await host.services().runs.submit(request, { mark });
  const status = async () => (await host.store.runs.get(submitted.run.run_id))?.status;
  await expect.poll(status).toBe("running");
  return submitted;
}

const rowOf = ({ run }: SubmittedRun) => host.store.runs.get(run.run_id);
const resultOf = ({ run }: SubmittedRun) => host.store.runs.getResult?.(run.run_id);

describe("a run that is stopped", () => {
  beforeEach(() => open());
  afterEach(() => host.close());

  it("is cancelled, frees its thread and captures nothing", async () => {
    const slow = await startSlow();

    const cancelled = await host.services().runs.cancel(slow.run.run_id, { wait: true });

    expect(cancelled.status).toBe("cancelled");
    expect(await slow.outcome).toEqual({ status: "cancelled" });
    expect(await resultOf(slow)).toBeNull();
    expect((await host.services().threads.get(threadId)).status).toBe("idle");
  });

  it("is gone with its checkpoints if it is cancelled with a rollback", async () => {
    const slow = await startSlow();

    await host.services().runs.cancel(slow.run.run_id, { action: "rollback" });

    expect(await rowOf(slow)).toBeNull();
    expect(await host.services().runs.wait(slow.run.run_id)).toBeNull();
    expect(await host.services().threads.history(threadId)).toEqual([]);
  });

  it("may be deleted while it executes, and what it still captures goes nowhere", async () => {
    const slow = await startSlow();

    await host.services().runs.delete(slow.run.run_id);
    await slow.outcome;

    expect(await rowOf(slow)).toBeNull();
    expect(await resultOf(slow)).toBeNull();
  });

  it("may lose its thread while it executes, and nothing of it is left", async () => {
    const slow = await startSlow();

    await host.services().threads.delete(threadId);
    await slow.outcome;

    expect(await host.store.threads.get(threadId)).toBeNull();
    expect(await rowOf(slow)).toBeNull();
    const tip = await host.saver.getTuple({ configurable: { thread_id: threadId } });
    expect(tip).toBeUndefined();
  });

  it("answers a cancellation that comes twice, or after the end, with what is", async () => {
    const slow = await startSlow();
    const { runs } = host.services();

    await Promise.all([runs.cancel(slow.run.run_id), runs.cancel(slow.run.run_id)]);
    const again = await runs.cancel(slow.run.run_id);

    expect(again.status).toBe("cancelled");
    await expect(runs.cancel("no-such-run")).rejects.toMatchObject({ status: 404 });
  });
});

describe("a run that takes too long", () => {
  beforeEach(() => open({ runTimeoutMs: 50 }));
  afterEach(() => host.close());

  it("ends as a timeout with its reason, and captures nothing", async () => {
    const slow = await startSlow();
    await slow.outcome;

    expect(await rowOf(slow)).toMatchObject({
      status: "timeout",
      error: { error: "TimeoutError" },
    });
    expect(await resultOf(slow)).toBeNull();
    expect((await host.services().threads.get(threadId)).status).toBe("error");
  });
});

describe("a run whose graph does not listen to its abort", () => {
  /** Hides the signal from the graph. */
  const deaf: Graph = {
    compile(options) {
      const compiled: CompiledGraph = slowEcho.compile(options);
      return {
        stream: (input, call) => {
          const { signal: _signal, ...rest } = call;
          return compiled.stream(input, rest as GraphCallOptions);
        },
        getState: (config) => compiled.getState(config),
        getStateHistory: (...asked) => compiled.getStateHistory(...asked),
        updateState: (...update) => compiled.updateState(...update),
      };
    },
  };
  beforeEach(() => open({ graphs: { deaf }, runTimeoutMs: 50 }));
  afterEach(() => host.close());

  it("ends as it was told to when the graph has ended, and captures nothing", async () => {
    const input = { value: "slow", milliseconds: 150 };
    const request = { threadId, assistantId: "deaf", input };
    const { run, outcome } = await host.services().runs.submit(request, { mark });

    expect(await outcome).toMatchObject({ status: "timeout" });
    expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();
    const { values } = await host.services().threads.getState(threadId);
    expect(values).toMatchObject({ value: "echo: slow" });
  });
});

describe("a host that closes", () => {
  it("stops the runs that do not end in time", async () => {
    await open();
    const slow = await startSlow();

    await host.close();

    expect(await slow.outcome).toEqual({ status: "cancelled" });
  });

  it("waits for a run that ends in time", async () => {
    // Longer than any machine takes; what is waited for is the end of the run.
    await open({ shutdownGraceMs: 60_000 });
    const request = { threadId, assistantId: "slow-echo", input: { value: "a", milliseconds: 20 } };
    const { outcome } = await host.services().runs.submit(request);

    await host.close();

    expect(await outcome).toMatchObject({ status: "success" });
  });
});
