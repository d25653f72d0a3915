// Sends what stands in the outbox. The engine makes the first attempt of each delivery; what fails
// then, or was left by a process that died, is due again later and is sent from here.

import type { Delivery, DeliveryAttemptResult, DeliveryRepo } from "../stores/contract.js";

import { DELIVERY_LEASE_MS, deliveryBody } from "./delivery-payload.js";
import type { Log } from "./engine.js";

const TICK_MS = 1_000;
const POST_TIMEOUT_MS = 10_000;
const BATCH = 20;

/** Waits between attempts; after the last one the delivery is dead. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000, 300_000];

export class DeliveryWorker {
  readonly #deliveries: DeliveryRepo | undefined;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;

  constructor(deliveries: DeliveryRepo | undefined, log: Log) {
    this.#deliveries = deliveries;
    this.#log = log;
  }

  start(): void {
    if (!this.#deliveries) return;
    this.#timer = setInterval(() => {
      this.#ticking ??= this.sendDue().finally(() => (this.#ticking = undefined));
    }, TICK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ticking;
  }

  /** One attempt at a delivery that this process holds the claim of. Never throws. */
  async attempt(deliveryId: string): Promise<void> {
    try {
      const delivery = await this.#deliveries?.get(deliveryId);
      if (delivery?.status === "delivering") await this.#send(delivery);
    } catch (error) {
      this.#log(`Delivery ${deliveryId} could not be attempted; it is due again later.`, error);
    }
  }

  /** Claims and sends what is due now. Never throws. */
  async sendDue(): Promise<void> {
    try {
      const now = Date.now();
      const due = await this.#deliveries?.claimDue({
        now: new Date(now).toISOString(),
        leaseUntil: new Date(now + DELIVERY_LEASE_MS).toISOString(),
        limit: BATCH,
      });
      await Promise.all((due ?? []).map((delivery) => this.#send(delivery)));
    } catch (error) {
      this.#log("Due deliveries could not be sent.", error);
    }
  }

  async #send(delivery: Delivery): Promise<void> {
    const failure = await post(delivery.url, deliveryBody(delivery, new Date()));
    await this.#deliveries?.recordAttempt(delivery.delivery_id, attemptResult(delivery, failure));
  }
}

function attemptResult(delivery: Delivery, failure: string | null): DeliveryAttemptResult {
  if (failure === null) return { outcome: "delivered" };
  const delay = RETRY_DELAYS_MS[delivery.attempt - 1];
  if (delay === undefined) return { outcome: "dead", error: failure };
  const nextAttemptAt = new Date(Date.now() + delay).toISOString();
  return { outcome: "retrying", nextAttemptAt, error: failure };
}

/** Posts the body; answers why that failed, or null. */
async function post(url: string, body: Record<string, unknown>): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : `The receiver answered ${response.status}.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
