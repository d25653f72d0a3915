/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";

import type {
  Delivery,
  DeliveryAttemptResult,
  DeliveryCreate,
  DeliveryRepo,
  RunStatus,
} from "../contract.js";
import { newDelivery, now } from "../new-rows.js";
import { DELIVERY_FIELDS, deliveryOf, type DeliveryRow } from "../sql-rows.js";
import { lookupId, storableText } from "../storable.js";

import { DELIVERY_COLUMNS, namedParameters } from "./columns.js";
import { inserting } from "./conflicts.js";

/** Inserts a delivery in whatever transaction the connection is in. */
export type InsertDelivery = (
  runId: string,
  runStatus: RunStatus,
  input: DeliveryCreate,
) => Delivery;

export function sqliteDeliveryInsert(database: Database): InsertDelivery {
  const insert = database.prepare<[object]>(
    `INSERT INTO deliveries (${DELIVERY_COLUMNS}) VALUES (${namedParameters(DELIVERY_FIELDS)})`,
  );
  return (runId, runStatus, input) => {
    const delivery = newDelivery(runId, runStatus, input);
    inserting(delivery.delivery_id, null, () =>
      insert.run({
        ...delivery,
        payload: JSON.stringify(delivery.payload),
        payload_truncated: delivery.payload_truncated ? 1 : 0,
      }),
    );
    return delivery;
  };
}

export function sqliteDeliveries(database: Database, maxPageSize: number): DeliveryRepo {
  const byId = database.prepare<[string | null], DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE delivery_id = ?`,
  );
  const byRun = database.prepare<[object], DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries
      WHERE run_id = @run_id AND (@status IS NULL OR status = @status)
      ORDER BY created_at DESC, delivery_id DESC LIMIT @limit OFFSET @offset`,
  );
  const due = database.prepare<[object], DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries
      WHERE status IN ('pending', 'delivering') AND next_attempt_at <= @due
      ORDER BY next_attempt_at, delivery_id LIMIT @limit`,
  );
  const claim = database.prepare<[object], DeliveryRow>(
    `UPDATE deliveries SET status = 'delivering', attempt = attempt + 1,
            next_attempt_at = @lease_until, updated_at = @at
      WHERE delivery_id = @delivery_id RETURNING ${DELIVERY_COLUMNS}`,
  );
  const claimDue = database.transaction(
    (query: { due: string; limit: number }, write: { lease_until: string; at: string }) =>
      due.all(query).flatMap(({ delivery_id }) => claim.all({ delivery_id, ...write })),
  );
  const record = database.prepare<[object], DeliveryRow>(
    `UPDATE deliveries SET status = @status, last_error = @error,
            payload = CASE WHEN @status = 'delivered' THEN NULL ELSE payload END,
            next_attempt_at = coalesce(@next_attempt_at, next_attempt_at), updated_at = @at
      WHERE delivery_id = @delivery_id RETURNING ${DELIVERY_COLUMNS}`,
  );

  return {
    get: async (deliveryId) => {
      const row = byId.get(lookupId(deliveryId));
      return row ? deliveryOf(row) : null;
    },
    listByRun: async (runId, query = {}) =>
      byRun
        .all({
          run_id: lookupId(runId),
          status: query.status ?? null,
          limit: Math.min(query.limit ?? maxPageSize, maxPageSize),
          offset: query.offset ?? 0,
        })
        .map(deliveryOf),
    claimDue: async (query) =>
      claimDue
        .immediate(
          { due: query.now, limit: Math.min(query.limit ?? maxPageSize, maxPageSize) },
          { lease_until: query.leaseUntil, at: now() },
        )
        .map(deliveryOf),
    recordAttempt: async (deliveryId, result) => {
      const row = record.get({
        delivery_id: lookupId(deliveryId),
        ...attemptColumns(result),
        at: now(),
      });
      return row ? deliveryOf(row) : null;
    },
  };
}

function attemptColumns(result: DeliveryAttemptResult) {
  switch (result.outcome) {
    case "delivered":
      return { status: "delivered", error: null, next_attempt_at: null };
    case "dead":
      return { status: "dead", error: storableText(result.error), next_attempt_at: null };
    case "retrying":
      return {
        status: "pending",
        error: storableText(result.error),
        next_attempt_at: result.nextAttemptAt,
      };
  }
}
