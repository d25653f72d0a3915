import type { Pool } from "pg";

import type {
  Delivery,
  DeliveryAttemptResult,
  DeliveryCreate,
  DeliveryRepo,
  RunStatus,
} from "../contract.js";
import { newDelivery, now } from "../new-rows.js";
import { deliveryOf, type DeliveryRow } from "../sql-rows.js";
import { lookupId, storableText } from "../storable.js";

import { DELIVERY_COLUMNS } from "./columns.js";
import type { Queryable } from "./connection.js";
import { inserting, insertRow } from "./insert.js";

/** Inserts a delivery in the transaction that the client is in. */
export async function insertDelivery(
  on: Queryable,
  runId: string,
  runStatus: RunStatus,
  input: DeliveryCreate,
): Promise<Delivery> {
  const delivery = newDelivery(runId, runStatus, input);
  await inserting(delivery.delivery_id, null, () =>
    insertRow(on, "deliveries", { ...delivery, payload: JSON.stringify(delivery.payload) }),
  );
  return delivery;
}

export function postgresDeliveries(pool: Pool, maxPageSize: number): DeliveryRepo {
  return {
    get: async (deliveryId) => {
      const { rows } = await pool.query<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE delivery_id = $1`,
        [lookupId(deliveryId)],
      );
      return rows[0] ? deliveryOf(rows[0]) : null;
    },
    listByRun: async (runId, query = {}) => {
      const { rows } = await pool.query<DeliveryRow>(
        `SELECT ${DELIVERY_COLUMNS} FROM deliveries
          WHERE run_id = $1 AND ($2::text IS NULL OR status = $2)
          ORDER BY deliveries.created_at DESC, delivery_id COLLATE "C" DESC LIMIT $3 OFFSET $4`,
        [
          lookupId(runId),
          query.status ?? null,
          Math.min(query.limit ?? maxPageSize, maxPageSize),
          query.offset ?? 0,
        ],
      );
      return rows.map(deliveryOf);
    },
    // Workers share the backlog out among themselves: each locks what it takes and skips what another
    // has locked. The time it was due is carried along, since the claim writes over it.
    claimDue: async ({ now: due, leaseUntil, limit }) => {
      const { rows } = await pool.query<DeliveryRow>(
        `WITH due AS (
           SELECT delivery_id AS id, next_attempt_at AS due_at FROM deliveries
            WHERE status IN ('pending', 'delivering') AND next_attempt_at <= $1::timestamptz
            ORDER BY next_attempt_at, delivery_id COLLATE "C" LIMIT $3
              FOR UPDATE SKIP LOCKED
         ), claimed AS (
           UPDATE deliveries
              SET status = 'delivering', attempt = attempt + 1,
                  next_attempt_at = $2::timestamptz, updated_at = $4::timestamptz
             FROM due WHERE delivery_id = due.id
           RETURNING deliveries.*, due.due_at
         )
         SELECT ${DELIVERY_COLUMNS} FROM claimed ORDER BY due_at, delivery_id COLLATE "C"`,
        [due, leaseUntil, Math.min(limit ?? maxPageSize, maxPageSize), now()],
      );
      return rows.map(deliveryOf);
    },
    recordAttempt: async (deliveryId, result) => {
      const { rows } = await pool.query<DeliveryRow>(
        `UPDATE deliveries
            SET status = $2, last_error = $3,
                payload = CASE WHEN $2 = 'delivered' THEN NULL ELSE payload END,
                next_attempt_at = coalesce($4::timestamptz, next_attempt_at),
                updated_at = $5::timestamptz
          WHERE delivery_id = $1 RETURNING ${DELIVERY_COLUMNS}`,
        [lookupId(deliveryId), ...attemptColumns(result), now()],
      );
      return rows[0] ? deliveryOf(rows[0]) : null;
    },
  };
}

function attemptColumns(result: DeliveryAttemptResult): unknown[] {
  switch (result.outcome) {
    case "delivered":
      return ["delivered", null, null];
    case "dead":
      return ["dead", storableText(result.error), null];
    case "retrying":
      return ["pending", storableText(result.error), result.nextAttemptAt];
  }
}
