import { randomUUID } from "node:crypto";

import { describe, expect, it } from "vitest";

import type { CurrentStore } from "../store-suite.js";

import { deliveryFor, newRun, refusal } from "./fixtures.js";

export function describeResults(current: CurrentStore): void {
  describe("results beside the runs", () => {
    it("keeps a result out of every ordinary reading of a run", async () => {
      const { runs, threads } = current();
      const canary = `canary-${randomUUID()}`;
      const run = await newRun(current(), { kwargs: { input: 1 } });
      const result = {
        values: { value: canary },
        interrupts: { task: [{ id: "i1", value: canary }] },
        reply: canary,
      };
      await runs.recordResult(run.run_id, result);

      const read = [
        await runs.get(run.run_id),
        await runs.listByThread(run.thread_id),
        await runs.latestForThread(run.thread_id),
        await runs.listActiveRuns(run.thread_id),
        await runs.getKwargs(run.run_id),
        await runs.setStatus(run.run_id, "running"),
        await threads.get(run.thread_id),
        await runs.finalizeWithDelivery(run.run_id, {
          status: "success",
          delivery: deliveryFor(run.thread_id),
        }),
      ];

      expect(JSON.stringify(read)).not.toContain(canary);
      expect(await runs.getResult(run.run_id)).toEqual(result);
    });

    it("erases a result with its run, and a run created under the id again starts without one", async () => {
      const { runs } = current();
      const run = await newRun(current());
      await runs.recordResult(run.run_id, { values: { value: "first" } });

      await runs.delete(run.run_id);
      expect(await runs.getResult(run.run_id)).toBeNull();
      await newRun(current(), { run_id: run.run_id, thread_id: run.thread_id });

      expect(await runs.getResult(run.run_id)).toBeNull();
    });

    it("erases results with their thread", async () => {
      const { runs, threads } = current();
      const run = await newRun(current());
      await runs.recordResult(run.run_id, { values: { value: "first" } });

      await threads.delete(run.thread_id);
      expect(await runs.getResult(run.run_id)).toBeNull();
      await threads.create({ thread_id: run.thread_id });
      await newRun(current(), { run_id: run.run_id, thread_id: run.thread_id });

      expect(await runs.getResult(run.run_id)).toBeNull();
    });

    it("settles a run with its result and its delivery in one step", async () => {
      const { runs, deliveries } = current();
      const { run_id, thread_id } = await newRun(current());

      const answer = await runs.settleRun(run_id, {
        status: "success",
        result: { values: { value: "first" } },
        delivery: deliveryFor(thread_id),
      });

      expect(answer).toEqual({ status: "success", won: true });
      expect(await runs.get(run_id)).toMatchObject({ status: "success" });
      expect(await runs.getResult(run_id)).toEqual({ values: { value: "first" } });
      expect(await deliveries.listByRun(run_id)).toMatchObject([{ run_status: "success" }]);
    });

    it("inserts the delivery of a settle that lost, stamped with what won", async () => {
      const { runs, deliveries } = current();
      const { run_id, thread_id } = await newRun(current());
      await runs.cancelRun(run_id);

      const answer = await runs.settleRun(run_id, {
        status: "success",
        result: { values: { value: "first" } },
        delivery: deliveryFor(thread_id),
      });

      expect(answer).toEqual({ status: "cancelled", won: false });
      expect(await runs.getResult(run_id)).toBeNull();
      expect(await deliveries.listByRun(run_id)).toMatchObject([{ run_status: "cancelled" }]);
    });

    it("settles nothing if the delivery cannot be written", async () => {
      const { runs } = current();
      const delivery_id = randomUUID();
      const first = await newRun(current());
      const delivery = deliveryFor(first.thread_id, { delivery_id });
      await runs.settleRun(first.run_id, { status: "success", delivery });
      const second = await newRun(current());

      await expect(
        runs.settleRun(second.run_id, { status: "success", result: { values: {} }, delivery }),
      ).rejects.toMatchObject({ code: "driver_failed", cause: refusal(409) });

      expect(await runs.get(second.run_id)).toEqual(second);
      expect(await runs.getResult(second.run_id)).toBeNull();
    });

    it("reads a run that was settled with an error as one that was set to it", async () => {
      const { runs } = current();
      const { run_id } = await newRun(current());
      const error = { error: "TypeError", message: "it broke" };

      await runs.settleRun(run_id, { status: "error", error });
      error.message = "changed by the caller";

      expect(await runs.get(run_id)).toMatchObject({
        status: "error",
        error: { error: "TypeError", message: "it broke" },
      });
    });
  });
}
