import { randomUUID } from "node:crypto";

import { afterEach, describe, expect, it, vi } from "vitest";

import type { CurrentStore } from "../store-suite.js";

import { deliveryFor, newRun, refusal, unknownId } from "./fixtures.js";

const failure = { error: "TypeError", message: "it broke" };

export function describeEndsOfRuns(current: CurrentStore): void {
  describe("the end of a run", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it("writes a status over any other, and rewrites the error with it", async () => {
      const { runs } = current();
      const { run_id } = await newRun(current());

      expect(await runs.setStatus(run_id, "error", failure)).toMatchObject({
        status: "error",
        error: failure,
      });
      const cancelled = await runs.setStatus(run_id, "cancelled");
      expect(cancelled).not.toHaveProperty("error");
      expect(await runs.get(run_id)).toEqual(cancelled);
      expect(await runs.setStatus(run_id, "success")).toMatchObject({ status: "success" });
    });

    it("refuses to write the status of an unknown run", async () => {
      await expect(current().runs.setStatus(unknownId(), "success")).rejects.toEqual(refusal(404));
    });

    it("moves updated_at with the status and with nothing else", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
      const { runs } = current();
      const created = await newRun(current(), { kwargs: { input: 1 } });
      const { run_id } = created;

      vi.setSystemTime(1_700_000_001_000);
      await runs.recordBaseCheckpoint(run_id, "c1");
      await runs.recordResult(run_id, { values: { value: 1 } });
      expect(await runs.get(run_id)).toEqual(created);

      const ended = await runs.setStatus(run_id, "success");
      expect(ended.updated_at).toBe(new Date(1_700_000_001_000).toISOString());
      expect(ended.created_at).toBe(created.created_at);
    });

    it("finalizes a run in flight, with a delivery that says how it ended", async () => {
      const { runs, deliveries } = current();
      const { run_id, thread_id } = await newRun(current());

      const { run, delivery } = await runs.finalizeWithDelivery(run_id, {
        status: "error",
        error: failure,
        delivery: deliveryFor(thread_id),
      });

      expect(run).toMatchObject({ run_id, status: "error", error: failure });
      expect(await runs.get(run_id)).toEqual(run);
      expect(delivery).toMatchObject({ run_id, thread_id, run_status: "error", attempt: 1 });
      expect(await deliveries.get(delivery.delivery_id)).toEqual(delivery);
    });

    it("leaves a cancellation that won, and still inserts the delivery, stamped as cancelled", async () => {
      const { runs, deliveries } = current();
      const { run_id, thread_id } = await newRun(current());
      const cancelled = await runs.setStatus(run_id, "cancelled");

      const { run, delivery } = await runs.finalizeWithDelivery(run_id, {
        status: "success",
        delivery: deliveryFor(thread_id),
      });

      expect(run).toEqual(cancelled);
      expect(await runs.get(run_id)).toEqual(cancelled);
      expect(await deliveries.listByRun(run_id)).toEqual([delivery]);
      expect(delivery.run_status).toBe("cancelled");
    });

    it("inserts the delivery of a run that is gone, with the status that was asked for", async () => {
      const { runs, deliveries } = current();
      const { run_id, thread_id } = await newRun(current());
      await current().threads.delete(thread_id);

      const { run, delivery } = await runs.finalizeWithDelivery(run_id, {
        status: "success",
        delivery: deliveryFor(thread_id),
      });

      expect(run).toBeNull();
      expect(delivery.run_status).toBe("success");
      expect(await deliveries.get(delivery.delivery_id)).toEqual(delivery);
    });

    it("writes neither status nor delivery if one of the two cannot be written", async () => {
      const { runs, deliveries } = current();
      const delivery_id = randomUUID();
      const first = await newRun(current());
      const delivery = deliveryFor(first.thread_id, { delivery_id });
      await runs.finalizeWithDelivery(first.run_id, { status: "success", delivery });
      const second = await newRun(current());

      await expect(
        runs.finalizeWithDelivery(second.run_id, { status: "success", delivery }),
      ).rejects.toEqual(refusal(409));

      expect(await runs.get(second.run_id)).toEqual(second);
      expect(await deliveries.listByRun(second.run_id)).toEqual([]);
    });

    it("gives a run that many end at the same time one end, which all of them are told", async () => {
      const { runs } = current();
      const { run_id, thread_id } = await newRun(current());

      const told = await Promise.all([
        runs.settleRun(run_id, { status: "success", result: { values: { value: 1 } } }),
        runs.cancelRun(run_id),
        runs.finalizeWithDelivery(run_id, { status: "timeout", delivery: deliveryFor(thread_id) }),
        runs.cancelRun(run_id),
        runs.settleRun(run_id, { status: "error", error: failure }),
      ]);

      const ended = await runs.get(run_id);
      const statuses = told.map(
        (answer) => (answer && "run" in answer ? answer.run : answer)?.status,
      );
      expect(new Set(statuses)).toEqual(new Set([ended?.status]));
      expect(await runs.getResult(run_id)).toEqual(
        ended?.status === "success" ? { values: { value: 1 } } : null,
      );
    });
  });
}
