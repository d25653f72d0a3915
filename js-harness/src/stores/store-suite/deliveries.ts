import { describe, expect, it } from "vitest";

import type { Delivery, DeliveryCreate, DeliveryRepo } from "../contract.js";
import type { CurrentStore } from "../store-suite.js";

import { deliveryFor, newRun, unknownId, type CompleteStore } from "./fixtures.js";

/** Long before any other test's deliveries are due, so that these tests share a store with them. */
const DUE = "2001-01-01T00:00:00.000Z";
const LEASED = "2002-01-01T00:00:00.000Z";
const AFTER_THE_LEASE = "2003-01-01T00:00:00.000Z";

export function describeDeliveries(current: CurrentStore): void {
  describe("deliveries", () => {
    it("lets every due delivery be claimed once, whichever worker asks", async () => {
      const { deliveries: outbox } = current();
      const ids = await Promise.all(
        Array.from({ length: 6 }, async () => (await insert(current(), DUE)).delivery_id),
      );

      const claims = await Promise.all(
        Array.from({ length: 3 }, () =>
          outbox.claimDue({ now: DUE, leaseUntil: LEASED, limit: 4 }),
        ),
      );

      const claimed = claims.flat();
      expect(claimed.map(({ delivery_id }) => delivery_id).sort()).toEqual(ids.sort());
      expect(claimed[0]).toMatchObject({
        status: "delivering",
        attempt: 2,
        next_attempt_at: LEASED,
      });
      expect(await outbox.claimDue({ now: DUE, leaseUntil: LEASED })).toEqual([]);
      await settleAll(outbox, claimed);
    });

    it("claims those first that have been due longest", async () => {
      const { deliveries: outbox } = current();
      const times = ["2000-01-03", "2000-01-01", "2000-01-02"].map((day) => `${day}T00:00:00.000Z`);
      const byTime = new Map<string, string>();
      for (const time of times) byTime.set(time, (await insert(current(), time)).delivery_id);

      const claimed = await outbox.claimDue({ now: DUE, leaseUntil: LEASED });

      expect(claimed.map(({ delivery_id }) => delivery_id)).toEqual(
        times.sort().map((time) => byTime.get(time)),
      );
      await settleAll(outbox, claimed);
    });

    it("lets a delivery be claimed again when the lease of a lost worker has lapsed", async () => {
      const { deliveries: outbox } = current();
      const { delivery_id } = await insert(current(), DUE);
      await outbox.claimDue({ now: DUE, leaseUntil: LEASED });

      const again = await outbox.claimDue({ now: LEASED, leaseUntil: AFTER_THE_LEASE });

      expect(again).toMatchObject([{ delivery_id, attempt: 3, next_attempt_at: AFTER_THE_LEASE }]);
      await settleAll(outbox, again);
    });

    it("drops the payload of what was delivered, and never offers it again", async () => {
      const { deliveries: outbox } = current();
      const { delivery_id } = await insert(current(), DUE);

      const delivered = await outbox.recordAttempt(delivery_id, { outcome: "delivered" });

      expect(delivered).toMatchObject({ status: "delivered", payload: null, last_error: null });
      expect(await outbox.get(delivery_id)).toEqual(delivered);
      expect(await outbox.claimDue({ now: AFTER_THE_LEASE, leaseUntil: LEASED })).toEqual([]);
    });

    it("keeps the payload of what failed, with the reason and the next attempt", async () => {
      const { deliveries: outbox } = current();
      const payload = { values: { text: "a\u0000b" } };
      const { delivery_id } = await insert(current(), DUE, { payload });

      await outbox.recordAttempt(delivery_id, {
        outcome: "retrying",
        nextAttemptAt: LEASED,
        error: "503",
      });
      expect(await outbox.get(delivery_id)).toMatchObject({
        status: "pending",
        payload,
        last_error: "503",
        next_attempt_at: LEASED,
      });

      await outbox.recordAttempt(delivery_id, { outcome: "dead", error: "gave up\u0000\ud83d" });
      expect(await outbox.get(delivery_id)).toMatchObject({
        status: "dead",
        payload,
        last_error: "gave up\ufffd\ufffd",
      });
      expect(await outbox.claimDue({ now: AFTER_THE_LEASE, leaseUntil: LEASED })).toEqual([]);
    });

    it("knows nothing of a delivery that does not exist", async () => {
      const { deliveries: outbox } = current();

      expect(await outbox.get(unknownId())).toBeNull();
      expect(await outbox.recordAttempt(unknownId(), { outcome: "delivered" })).toBeNull();
      expect(await outbox.listByRun(unknownId())).toEqual([]);
    });

    it("lists a run's deliveries, newest first, in pages of one status", async () => {
      const store = current();
      const { run_id, thread_id } = await newRun(store);
      const ids: string[] = [];
      for (const letter of ["a", "b", "c"]) {
        const { delivery } = await store.runs.finalizeWithDelivery(run_id, {
          status: "success",
          delivery: deliveryFor(thread_id, { delivery_id: `${run_id}-${letter}` }),
        });
        ids.unshift(delivery.delivery_id);
      }
      const { deliveries: outbox } = store;
      const listed = async (query?: Parameters<typeof outbox.listByRun>[1]) =>
        (await outbox.listByRun(run_id, query)).map(({ delivery_id }) => delivery_id);

      expect(await listed()).toEqual(ids);
      expect(await listed({ limit: 1, offset: 1 })).toEqual([ids[1]]);
      await outbox.recordAttempt(`${run_id}-b`, { outcome: "delivered" });
      expect(await listed({ status: "delivering" })).toEqual([ids[0], ids[2]]);
    });
  });
}

async function insert(
  store: CompleteStore,
  next_attempt_at: string,
  input: Partial<DeliveryCreate> = {},
): Promise<Delivery> {
  const { run_id, thread_id } = await newRun(store);
  const { delivery } = await store.runs.finalizeWithDelivery(run_id, {
    status: "success",
    delivery: deliveryFor(thread_id, { next_attempt_at, ...input }),
  });
  return delivery;
}

async function settleAll(outbox: DeliveryRepo, claimed: Delivery[]): Promise<void> {
  for (const { delivery_id } of claimed) {
    await outbox.recordAttempt(delivery_id, { outcome: "delivered" });
  }
}
