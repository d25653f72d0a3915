// Stopping a run that executes: an abort signal for the graph, and the reason for the engine, which
// must tell a cancellation from a timeout from a failure of the graph's own.

import { isTerminalRunStatus, type ResultMethods } from "skein-results";

import type { RunRepo } from "../stores/contract.js";

/**
 * Why a run was told to stop. `interrupt` and `rollback` are displacements by another run; only
 * `rollback` takes back what the run has written.
 */
export type AbortReason = "cancel" | "timeout" | "interrupt" | "rollback";

/** The stop switch of one execution. */
export class RunControl {
  readonly #controller = new AbortController();
  #reason: AbortReason | null = null;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Null until the run is told to stop. */
  get reason(): AbortReason | null {
    return this.#reason;
  }

  /** The first reason stays: it is the one the graph is being stopped for. */
  abort(reason: AbortReason): void {
    this.#reason ??= reason;
    this.#controller.abort();
  }
}

/** The executions of this process, by run. */
export class RunControls {
  readonly #controls = new Map<string, RunControl>();

  register(runId: string): RunControl {
    const control = new RunControl();
    this.#controls.set(runId, control);
    return control;
  }

  /** Answers whether the run executes in this process. */
  abort(runId: string, reason: AbortReason): boolean {
    const control = this.#controls.get(runId);
    control?.abort(reason);
    return control !== undefined;
  }

  clear(runId: string): void {
    this.#controls.delete(runId);
  }
}

/** The status that a stopped run ends with. */
export function statusOfAbort(reason: AbortReason | null): "timeout" | "interrupted" | "cancelled" {
  if (reason === "timeout") return "timeout";
  return reason === "interrupt" ? "interrupted" : "cancelled";
}

type CancelAnswer = Awaited<ReturnType<NonNullable<ResultMethods["cancelRun"]>>>;

/**
 * Writes `cancelled` on a run that is in flight; null for a run that is gone.
 *
 * One conditional write where the store offers it. Otherwise the row is read and then written, and
 * an engine that settles in between is overwritten.
 */
export async function cancelInStore(runs: RunRepo, runId: string): Promise<CancelAnswer> {
  if (typeof runs.cancelRun === "function") return runs.cancelRun(runId);
  const run = await runs.get(runId);
  if (!run) return null;
  if (isTerminalRunStatus(run.status)) return { status: run.status, won: false };
  await runs.setStatus(runId, "cancelled");
  return { status: "cancelled", won: true };
}
