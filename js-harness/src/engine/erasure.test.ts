// Contract 8: whatever deletes a run deletes its result in the same step. Rows are counted through a
// second connection, so that a result which nobody can read any more does not count as gone.

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { RunMark } from "skein-results";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openHost, type Host, type HostSettings } from "../host.js";
import type { Run, SkeinStore } from "../stores/contract.js";
import { unknownId } from "../stores/store-suite/fixtures.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

import type { RunRequest } from "./run-request.js";
import { Gate, inTwoSteps, withRuns, withThreads } from "./testing/store-wrappers.js";

describe.each(storeKinds)("a result in $name goes with its run", (kind) => {
  let place: StorePlace;
  let saver: MemorySaver;
  const hosts: Host[] = [];
  beforeEach(async () => {
    place = await kind.open();
    saver = new MemorySaver();
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await place.close();
  });

  const hostOver = async (store: SkeinStore, settings: HostSettings = {}): Promise<Host> => {
    const options = { log: () => {}, shutdownGraceMs: 100, ...settings };
    const host = await openHost({ ...options, store: { ...store, durable: false }, saver });
    hosts.push(host);
    return host;
  };
  const mark = (root: string): RunMark => ({ root, turn: 0, message: null });
  const submit = (host: Host, request: Partial<RunRequest>) =>
    host.services().runs.submit({ threadId: null, assistantId: "echo", ...request }, { mark });
  const turn = async (host: Host, threadId: string, value: string): Promise<Run> => {
    const { run, outcome } = await submit(host, { threadId, input: { value } });
    await outcome;
    return run;
  };
  /** A thread with the results of so many turns. */
  const conversation = async (host: Host, turns: number) => {
    const { thread_id } = await host.services().threads.create();
    const runs: Run[] = [];
    for (let index = 1; index <= turns; index += 1) {
      runs.push(await turn(host, thread_id, `turn ${index}`));
    }
    return { thread_id, runs, ids: runs.map(({ run_id }) => run_id) };
  };
  const valueOf = async (runId: string | undefined): Promise<unknown> =>
    (await place.store.runs.getResult(String(runId)))?.values;
  /** A late capture finds nothing to attach to, and a run under the same id begins without a result. */
  const expectGoneForGood = async (runId: string): Promise<void> => {
    const { runs, threads } = place.store;
    const before = await place.count();
    await runs.recordResult(runId, { values: { value: "late" } });
    const late = { status: "success" as const, result: { values: { value: "late" } } };
    expect(await runs.settleRun(runId, late)).toBeNull();
    expect(await place.count()).toEqual(before);
    expect(await runs.getResult(runId)).toBeNull();

    const { thread_id } = await threads.create();
    await runs.create({ run_id: runId, thread_id, assistant_id: "echo" });
    expect(await runs.getResult(runId)).toBeNull();
    const again = { status: "success" as const, result: { values: { value: "again" } } };
    expect(await runs.settleRun(runId, again)).toEqual({ status: "success", won: true });
    expect(await valueOf(runId)).toEqual({ value: "again" });
  };

  it("when the run is deleted, and those of the others stay", async () => {
    const host = await hostOver(place.store);
    const { ids } = await conversation(host, 3);

    await host.services().runs.delete(String(ids[1]));

    expect(await place.count()).toEqual({ threads: 1, runs: 2, results: 2 });
    expect(await valueOf(ids[0])).toEqual({ value: "echo: turn 1" });
    expect(await valueOf(ids[2])).toEqual({ value: "echo: turn 3" });
    await expectGoneForGood(String(ids[1]));
  });

  it("when the thread is deleted, also on the second attempt after one that failed", async () => {
    let failures = 1;
    const host = await hostOver(
      withThreads(place.store, (threads) => ({
        delete: async (threadId) => {
          if (failures-- > 0) throw new Error("The store is away.");
          await threads.delete(threadId);
        },
      })),
    );
    const { thread_id, ids } = await conversation(host, 2);
    const other = await conversation(host, 1);
    const { threads } = host.services();

    await expect(threads.delete(thread_id)).rejects.toThrow("The store is away.");
    expect(await place.count()).toEqual({ threads: 2, runs: 3, results: 3 });
    await threads.delete(thread_id);

    expect(await place.count()).toEqual({ threads: 1, runs: 1, results: 1 });
    expect(await valueOf(other.ids[0])).toEqual({ value: "echo: turn 1" });
    for (const id of ids) await expectGoneForGood(id);
  });

  it("when a thread is pruned away, and not when only its history is", async () => {
    const host = await hostOver(place.store);
    const pruned = await conversation(host, 2);
    const kept = await conversation(host, 2);
    const { threads } = host.services();

    await threads.prune({ thread_ids: [kept.thread_id], strategy: "keep_latest" });
    await threads.prune({ thread_ids: [pruned.thread_id], strategy: "delete" });

    expect(await place.count()).toEqual({ threads: 1, runs: 2, results: 2 });
    expect(await valueOf(kept.ids[0])).toEqual({ value: "echo: turn 1" });
    for (const id of pruned.ids) await expectGoneForGood(id);
  });

  it("when the time of its thread is up", async () => {
    const host = await hostOver(place.store);
    const { threads } = host.services();
    const short = await threads.create({ ttl: 1 });
    const long = await threads.create({ ttl: 60 });
    const endless = await threads.create({ ttl: null });
    const runs = [];
    for (const { thread_id } of [short, long, endless]) runs.push(await turn(host, thread_id, "x"));
    const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);

    expect(await host.sweepThreads()).toBe(0);
    expect(await host.sweepThreads(later(2))).toBe(1);

    expect(await place.count()).toEqual({ threads: 2, runs: 2, results: 2 });
    expect(await place.store.threads.get(short.thread_id)).toBeNull();
    expect(saver.storage[short.thread_id]).toBeUndefined();
    expect(await host.sweepThreads(later(1e6))).toBe(1);
    expect(await place.count()).toEqual({ threads: 1, runs: 1, results: 1 });
    await expectGoneForGood(String(runs[0]?.run_id));
  });

  it("when a sweep comes by itself, past a thread that cannot be deleted", async () => {
    const stuck = await place.store.threads.create({ ttl: 0 });
    const gone = await place.store.threads.create({ ttl: 0 });
    const host = await hostOver(
      withThreads(place.store, (threads) => ({
        delete: async (threadId) => {
          if (threadId === stuck.thread_id) throw new Error("The store is away.");
          await threads.delete(threadId);
        },
      })),
      { ttlSweepMs: 5 },
    );

    await expect.poll(() => host.store.threads.get(gone.thread_id)).toBeNull();

    expect(await host.store.threads.get(stuck.thread_id)).not.toBeNull();
  });

  it("when the server made its thread for this run alone", async () => {
    const host = await hostOver(place.store);
    const { run, outcome } = await submit(host, {
      onCompletion: "delete",
      input: { value: "first" },
    });

    expect(await outcome).toMatchObject({ status: "success" });

    expect(await place.count()).toEqual({ threads: 0, runs: 0, results: 0 });
    await expectGoneForGood(run.run_id);
  });

  describe("when it is rolled back", () => {
    /** A host in which a run is stopped between its capture and its end, as long as the gate is shut. */
    const pausing = async () => {
      const gate = new Gate();
      const host = await hostOver(
        withRuns(inTwoSteps(place.store), (runs) => ({
          recordResult: async (runId, result) => {
            await runs.recordResult?.(runId, result);
            if (JSON.stringify(result).includes("captured")) await gate.pass();
          },
        })),
      );
      return { host, gate };
    };

    it.each(["by another run", "by a cancellation"])("%s", async (way) => {
      const { host, gate } = await pausing();
      const { thread_id, ids } = await conversation(host, 2);
      const threadId = thread_id;
      const { run, outcome } = await submit(host, { threadId, input: { value: "captured" } });
      await gate.reached;
      expect(await place.count()).toEqual({ threads: 1, runs: 3, results: 3 });

      const { runs } = host.services();
      const next =
        way === "by another run"
          ? submit(host, { threadId, multitaskStrategy: "rollback", input: { value: "next" } })
          : runs.cancel(run.run_id, { action: "rollback" }).then(() => null);
      await expect
        .poll(async () => (await place.store.runs.get(run.run_id))?.status)
        .toBe("cancelled");
      gate.open();
      await outcome;
      await (
        await next
      )?.outcome;

      const left = way === "by another run" ? 3 : 2;
      expect(await place.count()).toEqual({ threads: 1, runs: left, results: left });
      expect(await place.store.runs.get(run.run_id)).toBeNull();
      expect(await valueOf(ids[0])).toEqual({ value: "echo: turn 1" });
      expect(await valueOf(ids[1])).toEqual({ value: "echo: turn 2" });
      await expectGoneForGood(run.run_id);
    });

    it("and leaves the results before and after a run that could not be captured", async () => {
      const host = await hostOver(place.store);
      const { thread_id: threadId, ids } = await conversation(host, 1);
      const input = { kind: "bigint", place: "reply" };
      const broken = await submit(host, { threadId, assistantId: "unserializable", input });
      expect(await broken.outcome).toMatchObject({ status: "error" });
      const third = await turn(host, threadId, "turn 3");
      const before = [await valueOf(ids[0]), await valueOf(third.run_id)];
      const slow = { threadId, assistantId: "slow-echo", input: { value: "slow" } };
      const displaced = await submit(host, slow);
      const running = async () => (await place.store.runs.get(displaced.run.run_id))?.status;
      await expect.poll(running).toBe("running");

      await host.services().runs.cancel(displaced.run.run_id, { action: "rollback" });

      expect(await place.store.runs.get(displaced.run.run_id)).toBeNull();
      expect([await valueOf(ids[0]), await valueOf(third.run_id)]).toEqual(before);
      expect(await place.store.runs.getResult(broken.run.run_id)).toBeNull();
      expect(await place.count()).toEqual({ threads: 1, runs: 3, results: 2 });
    });
  });

  it("also when the capture races the deletion", async () => {
    const { runs, threads } = place.store;
    for (let round = 0; round < 20; round += 1) {
      const { thread_id } = await threads.create();
      const run_id = unknownId();
      await runs.create({ run_id, thread_id, assistant_id: "echo" });

      await Promise.all([
        runs.recordResult(run_id, { values: { round } }),
        round % 2 ? threads.delete(thread_id) : runs.delete(run_id),
        runs.settleRun(run_id, { status: "success", result: { values: { round } } }),
      ]);

      expect(await runs.get(run_id)).toBeNull();
      expect(await runs.getResult(run_id)).toBeNull();
    }
    expect(await place.count()).toMatchObject({ runs: 0, results: 0 });
  });
});
