import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it } from "vitest";

import { openHost, type Host } from "../host.js";
import type { RunRepo, SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import type { SubmittedRun } from "./admission.js";
import { Gate, inTwoSteps, withRuns } from "./testing/store-wrappers.js";

const mark = (root: string) => ({ root, turn: 0, message: null });

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
});

/** Starts a marked run of `echo` on a new thread of a host over the store. */
async function startEcho(store: SkeinStore): Promise<{ host: Host; submitted: SubmittedRun }> {
  const host = await openHost({ store, saver: new MemorySaver(), log: () => {} });
  opened.push(host);
  const { runs, threads } = host.services();
  const { thread_id } = await threads.create();
  const request = { threadId: thread_id, assistantId: "echo", input: { value: "first" } };
  return { host, submitted: await runs.submit(request, { mark }) };
}

/** Holds up the end of every run, before or after it is written. */
function holdingSettle(store: SkeinStore, gate: Gate, when: "before" | "after"): SkeinStore {
  return withRuns(store, (runs) => ({
    settleRun: async (runId, settle) => {
      if (when === "before") await gate.pass();
      const answer = (await runs.settleRun?.(runId, settle)) ?? null;
      if (when === "after") await gate.pass();
      return answer;
    },
  }));
}

describe("a cancellation that races the end of a run, on a store that ends it in one write", () => {
  it("wins if it is written first: the run is cancelled and has no result", async () => {
    const gate = new Gate();
    const { host, submitted } = await startEcho(
      holdingSettle(openMemoryStore().store, gate, "before"),
    );
    const runId = submitted.run.run_id;

    await gate.reached;
    const cancelled = await host.services().runs.cancel(runId);
    gate.open();

    expect(cancelled.status).toBe("cancelled");
    expect(await submitted.outcome).toEqual({ status: "cancelled" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "cancelled" });
    expect(await host.store.runs.getResult?.(runId)).toBeNull();
  });

  it("loses if the run has ended: it stays a success, and keeps its result", async () => {
    const gate = new Gate();
    const { host, submitted } = await startEcho(
      holdingSettle(openMemoryStore().store, gate, "after"),
    );
    const runId = submitted.run.run_id;

    await gate.reached;
    const answered = await host.services().runs.cancel(runId);
    gate.open();

    expect(answered.status).toBe("success");
    expect(await submitted.outcome).toMatchObject({ status: "success" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "success" });
    expect(await host.store.runs.getResult?.(runId)).toMatchObject({
      values: { value: "echo: first" },
    });
  });

  it("loses if the run ends while the cancellation is on its way", async () => {
    const gate = new Gate();
    const store = withRuns(openMemoryStore().store, (runs) => ({
      cancelRun: async (runId) => {
        await gate.pass();
        return (await runs.cancelRun?.(runId)) ?? null;
      },
    }));
    const settle = new Gate();
    const { host, submitted } = await startEcho(holdingSettle(store, settle, "before"));
    const runId = submitted.run.run_id;

    await settle.reached;
    const cancelling = host.services().runs.cancel(runId);
    await gate.reached;
    settle.open();
    await submitted.outcome;
    gate.open();

    expect((await cancelling).status).toBe("success");
    expect(await host.store.runs.getResult?.(runId)).not.toBeNull();
  });
});

describe("a cancellation that races the end of a run, on a store that ends it in two steps", () => {
  /** Holds up the engine between the two steps: the result is recorded, the status is not. */
  const heldBetween = (gate: Gate): SkeinStore =>
    withRuns(inTwoSteps(openMemoryStore().store), (runs) => ({
      recordResult: async (runId, result) => {
        await runs.recordResult?.(runId, result);
        await gate.pass();
      },
    }));

  it("wins between the steps: the run is cancelled, and its status hides the result", async () => {
    const gate = new Gate();
    const { host, submitted } = await startEcho(heldBetween(gate));
    const runId = submitted.run.run_id;

    await gate.reached;
    await host.services().runs.cancel(runId);
    gate.open();

    expect(await submitted.outcome).toEqual({ status: "cancelled" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "cancelled" });
    expect(await host.store.runs.getResult?.(runId)).not.toBeNull();
  });

  it("loses after both: the run stays a success", async () => {
    const gate = new Gate();
    gate.open();
    const { host, submitted } = await startEcho(heldBetween(gate));
    await submitted.outcome;

    const answered = await host.services().runs.cancel(submitted.run.run_id);

    expect(answered.status).toBe("success");
  });
});

describe("a cancellation that comes while its run begins", () => {
  /** Holds up one call on the way from `pending` to `running`. */
  const heldAt = (step: "get" | "startRun", gate: Gate): SkeinStore => {
    const { store } = openMemoryStore();
    if (step === "startRun") {
      return withRuns(store, (runs) => ({ startRun: startingBehind(runs, gate) }));
    }
    return withRuns(inTwoSteps(store), (runs): Partial<RunRepo> => {
      let reads = 0;
      return {
        get: async (runId) => {
          const run = await runs.get(runId);
          // The first read is the one that decides whether the run may begin.
          if ((reads += 1) === 1) await gate.pass();
          return run;
        },
      };
    });
  };

  const startingBehind =
    (runs: RunRepo, gate: Gate): NonNullable<RunRepo["startRun"]> =>
    async (runId) => {
      await gate.pass();
      return (await runs.startRun?.(runId)) ?? null;
    };

  it.each(["get", "startRun"] as const)("is never undone (held at %s)", async (step) => {
    const gate = new Gate();
    const { host, submitted } = await startEcho(heldAt(step, gate));

    await gate.reached;
    const cancelling = host.services().runs.cancel(submitted.run.run_id);
    gate.open();

    expect((await cancelling).status).toBe("cancelled");
    expect(await submitted.outcome).toEqual({ status: "cancelled" });
    const ended = await host.store.runs.get(submitted.run.run_id);
    expect(ended).toMatchObject({ status: "cancelled" });
  });

  it("is never undone by another host, which shares nothing but the store", async () => {
    const gate = new Gate();
    const { store } = openMemoryStore();
    const { host, submitted } = await startEcho(
      withRuns(store, (runs) => ({ startRun: startingBehind(runs, gate) })),
    );
    const runId = submitted.run.run_id;
    const other = await openHost({ store, saver: new MemorySaver(), log: () => {} });
    opened.push(other);

    await gate.reached;
    const cancelled = await other.services().runs.cancel(runId);
    gate.open();

    expect(cancelled.status).toBe("cancelled");
    expect(await submitted.outcome).toEqual({ status: "cancelled" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "cancelled" });
    expect(await host.store.runs.getResult?.(runId)).toBeNull();
  });

  it("is overwritten by another host on a store that cannot start in one write: the run ends whole all the same", async () => {
    const gate = new Gate();
    const weak = inTwoSteps(openMemoryStore().store);
    const { submitted } = await startEcho(
      withRuns(weak, (runs) => ({
        setStatus: async (...write) => {
          if (write[1] === "running") await gate.pass();
          return runs.setStatus(...write);
        },
      })),
    );
    const runId = submitted.run.run_id;
    const other = await openHost({ store: weak, saver: new MemorySaver(), log: () => {} });
    opened.push(other);

    await gate.reached;
    await other.services().runs.cancel(runId);
    gate.open();

    expect(await submitted.outcome).toMatchObject({ status: "success" });
    expect(await weak.runs.get(runId)).toMatchObject({ status: "success" });
    expect(await weak.runs.getResult?.(runId)).not.toBeNull();
  });
});
