// The outbox of run-completion callbacks. A delivery is inserted in the transaction that ends its
// run, so there is no moment at which a run has ended and nobody is going to be told.

import type { Pagination } from "./pagination.js";
import type { Run, RunError, RunStatus } from "./wire.js";

/** `delivered` and `dead` are final. */
export type DeliveryStatus = "pending" | "delivering" | "delivered" | "dead";

export interface Delivery {
  delivery_id: string;
  /** Not a foreign key, nor is `thread_id`: the run may be gone long before the last attempt. */
  run_id: string;
  thread_id: string;
  url: string;
  /** The body to send; `null` once delivered, so that storage grows with what is in flight. */
  payload: unknown;
  payload_truncated: boolean;
  /** How the run really ended, which is not what the engine asked for when a cancellation won. */
  run_status: RunStatus;
  status: DeliveryStatus;
  /** Attempts begun. */
  attempt: number;
  /** When it is due; while `delivering`, when the claim on it lapses. */
  next_attempt_at: string;
  last_error: string | null;
  created_at: string;
  updated_at: string;
  /** From when a final row may be swept. */
  expires_at: string;
}

/**
 * A delivery to insert. The row begins as claimed (`delivering`, first attempt, leased until
 * `next_attempt_at`), because the engine makes the first attempt itself.
 */
export interface DeliveryCreate {
  /** Assigned by the store when absent. The receiver's key for spotting a repeat. */
  delivery_id?: string;
  thread_id: string;
  url: string;
  payload: unknown;
  payload_truncated?: boolean;
  next_attempt_at: string;
  expires_at: string;
}

/** What `finalizeWithDelivery` is asked to write. */
export interface RunFinalization {
  status: RunStatus;
  error?: RunError;
  delivery: DeliveryCreate;
}

/** What `finalizeWithDelivery` wrote; `run` is null when the row was gone. */
export interface FinalizedRun {
  run: Run | null;
  delivery: Delivery;
}

export interface DeliveryListQuery extends Pagination {
  status?: DeliveryStatus;
}

export interface DueDeliveriesQuery {
  /** The server's clock. */
  now: string;
  /** Until when nobody else may take what is claimed. */
  leaseUntil: string;
  limit?: number;
}

/** How an attempt ended. */
export type DeliveryAttemptResult =
  | { outcome: "delivered" }
  | { outcome: "retrying"; nextAttemptAt: string; error: string }
  | { outcome: "dead"; error: string };

export interface DeliveryRepo {
  get(deliveryId: string): Promise<Delivery | null>;
  /** Newest first. */
  listByRun(runId: string, query?: DeliveryListQuery): Promise<Delivery[]>;
  /**
   * Takes due deliveries, soonest first: each becomes `delivering`, counts an attempt and is leased
   * until `leaseUntil`. Two workers never get the same one. A lapsed lease is due again, which is
   * how the deliveries of a worker that died are recovered.
   */
  claimDue(query: DueDeliveriesQuery): Promise<Delivery[]>;
  /** Records how the attempt ended; `delivered` drops the payload. Null for an unknown delivery. */
  recordAttempt(deliveryId: string, result: DeliveryAttemptResult): Promise<Delivery | null>;
}
