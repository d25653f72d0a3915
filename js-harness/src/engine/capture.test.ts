import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { EACH_PROBLEM } from "../graphs/unserializable.js";
import { openHost, type Host } from "../host.js";
import { openMemoryStore } from "../stores/memory.js";
import type { Run, RunStatus, SkeinStore } from "../stores/contract.js";

import type { RunRequest } from "./run-request.js";
import { hostKinds, type HostPlace } from "./testing/hosts.js";
import { LiveSaver } from "./testing/live-saver.js";
import { inTwoSteps, withRuns } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

/** Runs a graph on a new thread, or on the one that is given, to its end. */
async function runToEnd(
  host: Host,
  assistantId: string,
  input: unknown,
  { marked = true, ...rest }: Partial<RunRequest> & { marked?: boolean } = {},
): Promise<Run> {
  const { runs, threads } = host.services();
  const threadId = rest.threadId ?? (await threads.create()).thread_id;
  const request = { ...rest, threadId, assistantId, input };
  const { run, outcome } = await runs.submit(request, marked ? { mark } : {});
  await outcome;
  return runs.get(run.run_id);
}

describe.each(hostKinds)("what a run on $name leaves behind", (kind) => {
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

  it("keeps the state and the checkpoint of a marked run that succeeds", async () => {
    const run = await runToEnd(host, "echo", { value: "first" });

    const tip = await host.saver.getTuple({ configurable: { thread_id: run.thread_id } });
    expect(run.status).toBe("success");
    expect(await host.store.runs.getResult?.(run.run_id)).toEqual({
      values: { value: "echo: first" },
      checkpoint: {
        thread_id: run.thread_id,
        checkpoint_ns: "",
        checkpoint_id: tip?.checkpoint.id,
      },
    });
  });

  it("keeps the questions of a marked run that pauses, under the task that asks", async () => {
    const run = await runToEnd(host, "ask", { value: "Ship it" });

    const { tasks } = await host.services().threads.getState(run.thread_id);
    expect(run.status).toBe("interrupted");
    expect(tasks).toHaveLength(1);
    expect((await host.store.runs.getResult?.(run.run_id))?.interrupts).toEqual({
      [String(tasks[0]?.id)]: [
        { id: tasks[0]?.interrupts[0]?.id, value: { question: "Ship it?" } },
      ],
    });
  });

  it("keeps the reply that a graph declares last, beside its state", async () => {
    const run = await runToEnd(host, "reply", { value: "hello" });

    expect(await host.store.runs.getResult?.(run.run_id)).toMatchObject({
      values: { value: "hello" },
      reply: "reply: hello",
    });
  });

  it("keeps nothing of a run without a mark", async () => {
    const run = await runToEnd(host, "echo", { value: "first" }, { marked: false });

    expect(run.status).toBe("success");
    expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();
  });

  it("keeps nothing of a marked run that fails", async () => {
    const run = await runToEnd(host, "failing", { value: "No luck." });

    expect(run).toMatchObject({ status: "error", error: { error: "Error", message: "No luck." } });
    expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();
  });

  it.each(EACH_PROBLEM)(
    "ends a run whose reply JSON cannot carry (%s) with a reason, and the thread takes the next one",
    async (problem) => {
      const input = { kind: problem, place: "reply" };
      const run = await runToEnd(host, "unserializable", input);

      expect(run.status).toBe("error");
      expect(run.error?.message).toMatch(/reply/);
      expect(await host.store.runs.getResult?.(run.run_id)).toBeNull();

      const next = await runToEnd(host, "echo", { value: "next" }, { threadId: run.thread_id });
      expect(next.status).toBe("success");
      expect((await host.services().threads.get(run.thread_id)).status).toBe("idle");
    },
  );

  it("does not fail a run without a mark over a reply that JSON cannot carry", async () => {
    const input = { kind: "bigint", place: "reply" };
    const run = await runToEnd(host, "unserializable", input, { marked: false });

    expect(run.status).toBe("success");
  });
});

describe("a state that a saver holds and JSON does not", () => {
  const open = (store: SkeinStore): Promise<Host> =>
    openHost({ store, saver: new LiveSaver(), log: () => {} });

  it.each(EACH_PROBLEM)(
    "ends a marked run as a failure (%s), and does not fail one without a mark",
    async (kind) => {
      const host = await open(openMemoryStore().store);
      const input = { kind, place: "state" };

      const marked = await runToEnd(host, "unserializable", input);
      expect(marked.status).toBe("error");
      expect(marked.error?.message).toMatch(/values\.value/);

      const unmarked = await runToEnd(host, "unserializable", input, { marked: false });
      expect(unmarked.status).toBe("success");
      const thread = await host.services().threads.get(unmarked.thread_id);
      expect(thread.status).toBe("idle");
      await host.close();
    },
  );

  it.each([
    ["in one write", (store: SkeinStore) => store],
    ["in two steps", inTwoSteps],
  ])("is never written as success before its capture fails (%s)", async (_name, variant) => {
    const written: RunStatus[] = [];
    const store = withRuns(variant(openMemoryStore().store), (runs) => ({
      setStatus: (runId, status, error) => {
        written.push(status);
        return runs.setStatus(runId, status, error);
      },
      ...(runs.startRun && {
        startRun: async (runId) => {
          const answer = await runs.startRun?.(runId);
          if (answer?.won) written.push(answer.status);
          return answer ?? null;
        },
      }),
      ...(runs.settleRun && {
        settleRun: async (runId, settle) => {
          const answer = await runs.settleRun?.(runId, settle);
          if (answer?.won) written.push(settle.status);
          return answer ?? null;
        },
      }),
    }));
    const host = await open(store);

    await runToEnd(host, "unserializable", { kind: "bigint", place: "state" });

    expect(written).toEqual(["running", "error"]);
    await host.close();
  });
});
