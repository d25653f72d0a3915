/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import {
  SkeinHttpError,
  type Delivery,
  type DeliveryAttemptResult,
  type DeliveryCreate,
  type DeliveryRepo,
  type RunStatus,
} from "../contract.js";
import { newDelivery, now } from "../new-rows.js";
import { storableText } from "../storable.js";

import { compareText, copyOf, copyPage, type MemoryTables } from "./tables.js";

/** Synchronous, because it is the second half of a step that must not be interrupted. */
export function insertDelivery(
  tables: MemoryTables,
  runId: string,
  runStatus: RunStatus,
  input: DeliveryCreate,
): Delivery {
  const delivery = newDelivery(runId, runStatus, input);
  if (tables.deliveries.has(delivery.delivery_id)) {
    throw SkeinHttpError.conflict(`Delivery "${delivery.delivery_id}" exists already.`);
  }
  tables.deliveries.set(delivery.delivery_id, delivery);
  return structuredClone(delivery);
}

export function memoryDeliveries(tables: MemoryTables, maxPageSize: number): DeliveryRepo {
  const write = (delivery: Delivery): Delivery => {
    tables.deliveries.set(delivery.delivery_id, delivery);
    return structuredClone(delivery);
  };

  return {
    get: async (deliveryId) => copyOf(tables.deliveries.get(deliveryId)),
    listByRun: async (runId, query = {}) => {
      const matching = [...tables.deliveries.values()]
        .filter(
          (delivery) =>
            delivery.run_id === runId &&
            (query.status === undefined || delivery.status === query.status),
        )
        .sort(
          (left, right) =>
            compareText(right.created_at, left.created_at) ||
            compareText(right.delivery_id, left.delivery_id),
        );
      const limit = Math.min(query.limit ?? maxPageSize, maxPageSize);
      return copyPage(matching, query.offset, limit);
    },
    // No `await` between choosing and claiming: another worker's turn must not come in between.
    claimDue: async ({ now: due, leaseUntil, limit }) => {
      const at = now();
      return [...tables.deliveries.values()]
        .filter(
          ({ status, next_attempt_at }) =>
            (status === "pending" || status === "delivering") && next_attempt_at <= due,
        )
        .sort(
          (left, right) =>
            compareText(left.next_attempt_at, right.next_attempt_at) ||
            compareText(left.delivery_id, right.delivery_id),
        )
        .slice(0, Math.min(limit ?? maxPageSize, maxPageSize))
        .map((delivery) =>
          write({
            ...delivery,
            status: "delivering",
            attempt: delivery.attempt + 1,
            next_attempt_at: leaseUntil,
            updated_at: at,
          }),
        );
    },
    recordAttempt: async (deliveryId, result) => {
      const delivery = tables.deliveries.get(deliveryId);
      return delivery ? write({ ...delivery, ...afterAttempt(result), updated_at: now() }) : null;
    },
  };
}

function afterAttempt(result: DeliveryAttemptResult): Partial<Delivery> {
  switch (result.outcome) {
    case "delivered":
      return { status: "delivered", payload: null, last_error: null };
    case "dead":
      return { status: "dead", last_error: storableText(result.error) };
    case "retrying":
      return {
        status: "pending",
        last_error: storableText(result.error),
        next_attempt_at: result.nextAttemptAt,
      };
  }
}
