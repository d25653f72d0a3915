// The one place where a run is ended. Whatever way an execution ends, the terminal write goes through
// here, and here `skein-results` decides whether a result is captured with it and in which order.

import { isTerminalRunStatus, RunSettlement, type RunResult, type RunStatus } from "skein-results";

import type { DeliveryCreate, Run, RunError, RunKwargs, RunRepo } from "../stores/contract.js";

import { buildDelivery } from "./delivery-payload.js";
import type { Engine } from "./engine.js";

/** How an execution ends, as the engine says it. */
export type RunEnd =
  | { end: "finished"; status: "success" | "interrupted"; result: RunResult }
  | {
      end: "stopped";
      status: "error" | "timeout" | "interrupted" | "cancelled";
      error?: RunError;
    };

/** Ends one execution attempt of a run; made when the attempt begins. */
export class RunSettler {
  readonly #engine: Engine;
  readonly #run: Run;
  readonly #kwargs: RunKwargs;
  readonly #settlement: RunSettlement;
  readonly #startedAt = new Date();
  #started = false;
  #deliveryId: string | null = null;

  constructor(engine: Engine, run: Run, kwargs: RunKwargs) {
    this.#engine = engine;
    this.#run = run;
    this.#kwargs = kwargs;
    this.#settlement = new RunSettlement(engine.store.runs, { runId: run.run_id, kwargs });
  }

  /** The graph is about to run. A run that ends without ever having started announces nothing. */
  markStarted(): void {
    this.#started = true;
  }

  /** The callback that was recorded with the end of the run, or null. */
  get deliveryId(): string | null {
    return this.#deliveryId;
  }

  /**
   * Ends the run and answers the status that its row then has, which a cancellation may have decided.
   * Settling again after a settle that went through changes nothing.
   *
   * @throws when the result could not be captured; nothing is written then, and the run is settled
   * again as stopped
   */
  async settle(end: RunEnd): Promise<RunStatus> {
    const { runs } = this.#engine.store;
    const delivery = this.#deliveryFor(end);
    const status = await this.#settlement.settle(
      delivery ? { ...end, delivery } : end,
      (terminal, error) =>
        writeStatus(runs, this.#run.run_id, terminal, error as RunError | undefined, delivery),
    );
    if (delivery) this.#deliveryId = delivery.delivery_id ?? null;
    // Of a run that does not execute here, only its row can say so.
    this.#engine.endings.announce(this.#run.run_id, this.#started ? "has ended" : "may have ended");
    return status;
  }

  /**
   * At most one for an attempt: a second settle must not announce a second, different end. A state
   * that JSON cannot carry costs the callback, never the run.
   */
  #deliveryFor(end: RunEnd): DeliveryCreate | undefined {
    const { webhook } = this.#kwargs;
    const { store, log } = this.#engine;
    if (!this.#started || webhook === undefined || !store.deliveries || this.#deliveryId) return;
    try {
      return buildDelivery({
        run: this.#run,
        url: webhook,
        startedAt: this.#startedAt,
        endedAt: new Date(),
        ...(end.end === "finished" ? { result: end.result } : {}),
        ...(end.end === "stopped" && end.error ? { error: end.error } : {}),
      });
    } catch (error) {
      log(
        `Run ${this.#run.run_id}: its callback could not be written as JSON and is dropped.`,
        error,
      );
      return undefined;
    }
  }
}

/**
 * The status write of a store that cannot settle in one write. It never overwrites an end that is
 * already there, as far as a read before a write can promise that.
 */
async function writeStatus(
  runs: RunRepo,
  runId: string,
  status: RunStatus,
  error: RunError | undefined,
  delivery: DeliveryCreate | undefined,
): Promise<RunStatus> {
  const reason = error === undefined ? {} : { error };
  if (delivery && typeof runs.finalizeWithDelivery === "function") {
    const finalized = await runs.finalizeWithDelivery(runId, { status, ...reason, delivery });
    return finalized.delivery.run_status;
  }
  const run = await runs.get(runId);
  if (!run) return status;
  if (isTerminalRunStatus(run.status)) return run.status;
  await runs.setStatus(runId, status, error);
  return status;
}

/**
 * Ends a run that another run displaces, before its engine is stopped. It captures nothing, and an
 * end that is already there stays.
 */
export async function settleDisplaced(
  engine: Engine,
  run: Run,
  status: "interrupted" | "cancelled",
): Promise<RunStatus> {
  return new RunSettler(engine, run, {}).settle({ end: "stopped", status });
}
