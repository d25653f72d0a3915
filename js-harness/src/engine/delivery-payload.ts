// The callback that announces the end of a run: built when the run settles, kept in the outbox, and
// sent as it is until it arrives.

import { randomUUID } from "node:crypto";

import { serializeWireJson, type RunResult } from "skein-results";

import type { Delivery, DeliveryCreate, Run, RunError } from "../stores/contract.js";

/** How long the engine has for the first attempt before a worker takes the delivery over. */
export const DELIVERY_LEASE_MS = 30_000;

/** How long a final delivery is kept. */
const RETAIN_MS = 72 * 3_600_000;

export interface DeliverySource {
  run: Run;
  url: string;
  startedAt: Date;
  endedAt: Date;
  result?: RunResult;
  error?: RunError;
}

/**
 * The outbox entry for a run that ends. The body has no `status`: the one that the run really ended
 * with is stamped on the entry by the write that ends it.
 *
 * @throws what `serializeWireJson` throws for a state that JSON cannot carry
 */
export function buildDelivery(source: DeliverySource): DeliveryCreate {
  const { run, url, startedAt, endedAt, result, error } = source;
  const { status: _replaced, error: _earlier, ...row } = run;
  const body = {
    ...row,
    values: result?.values ?? {},
    run_started_at: startedAt.toISOString(),
    run_ended_at: endedAt.toISOString(),
    ...(error === undefined ? {} : { error: error.message }),
    ...(result?.interrupts === undefined ? {} : { interrupts: result.interrupts }),
    ...(result?.reply === undefined ? {} : { reply: result.reply }),
  };
  return {
    delivery_id: randomUUID(),
    thread_id: run.thread_id,
    url,
    payload: JSON.parse(serializeWireJson(body) ?? "null") as unknown,
    next_attempt_at: new Date(endedAt.getTime() + DELIVERY_LEASE_MS).toISOString(),
    expires_at: new Date(endedAt.getTime() + RETAIN_MS).toISOString(),
  };
}

/** What is posted on one attempt. */
export function deliveryBody(delivery: Delivery, sentAt: Date): Record<string, unknown> {
  return {
    ...(delivery.payload as Record<string, unknown>),
    status: delivery.run_status,
    webhook_sent_at: sentAt.toISOString(),
  };
}
