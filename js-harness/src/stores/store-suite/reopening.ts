import { expect, it, describe } from "vitest";

import type { CurrentStore } from "../store-suite.js";

import { deliveryFor, newRun } from "./fixtures.js";

export function describeReopening(current: CurrentStore, reopen: () => Promise<void>): void {
  describe("after closing and opening", () => {
    it("has everything that was written, in the order it was written", async () => {
      const before = current();
      const assistant = await before.assistants.create({ graph_id: "echo" });
      const first = await newRun(before, { kwargs: { input: { text: "a\u0000b" } } });
      const { thread_id } = first;
      const result = { values: { text: "a\u0000b \ud83d" }, reply: null };
      await before.runs.settleRun(first.run_id, { status: "success", result });
      const second = await newRun(before, { thread_id });
      await before.runs.recordBaseCheckpoint(second.run_id, "c1");
      const { delivery } = await before.runs.finalizeWithDelivery(second.run_id, {
        status: "error",
        error: { error: "Error", message: "it broke" },
        delivery: deliveryFor(thread_id),
      });
      const thread = await before.threads.update(thread_id, { values: { value: 2 } });
      const runs = await before.runs.listByThread(thread_id);

      await reopen();

      const after = current();
      expect(after).not.toBe(before);
      expect(await after.assistants.get(assistant.assistant_id)).toEqual(assistant);
      expect(await after.threads.get(thread_id)).toEqual(thread);
      expect(await after.runs.listByThread(thread_id)).toEqual(runs);
      expect(runs.map(({ run_id }) => run_id)).toEqual([first.run_id, second.run_id]);
      expect(await after.runs.getKwargs(first.run_id)).toEqual({ input: { text: "a\u0000b" } });
      expect(await after.runs.getKwargs(second.run_id)).toEqual({ base_checkpoint_id: "c1" });
      expect(await after.runs.getResult(first.run_id)).toEqual(result);
      expect(await after.deliveries.get(delivery.delivery_id)).toEqual(delivery);
    });

    it("goes on counting runs where it stopped", async () => {
      const first = await newRun(current());

      await reopen();
      const second = await newRun(current(), { thread_id: first.thread_id });

      expect(await current().runs.listByThread(first.thread_id)).toEqual([first, second]);
      expect(await current().runs.latestForThread(first.thread_id)).toEqual(second);
    });
  });
}
