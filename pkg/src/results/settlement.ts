import type { RunResult, RunStatus, TerminalRunStatus } from "../wasm/shapes.js";
import { readArgument, readMembers, requireFunction } from "../wasm/argument.js";
import { callableOf } from "../wasm/callable.js";
import { readMark } from "../tasks/mark.js";
import type { ResultMethods } from "./methods.js";
import { handled } from "../wasm/handled.js";
import { perform } from "../wasm/instance.js";
import type { Settling } from "../wasm/glue.js";

/**
 * How an execution ended.
 *
 * `finished`: the graph ran to its end or to a pause, and its final state is in hand; `result` is
 * captured if the server marked the run. `stopped`: an abort, a displacement, a timeout or a failure;
 * nothing is captured.
 */
export type SettleEnd =
  | {
      end: "finished";
      status: "success" | "interrupted";
      result: RunResult;
      delivery?: unknown;
    }
  | {
      end: "stopped";
      status: Exclude<TerminalRunStatus, "success">;
      error?: unknown;
      delivery?: unknown;
    };

/**
 * The host's own write of a terminal status, used where the store cannot settle in one write. It
 * answers the effective status if it knows it.
 */
export type WriteStatus = (
  status: TerminalRunStatus,
  error?: unknown,
) => PromiseLike<RunStatus | undefined | void>;

/** A run repository, as far as a settle needs it. */
export type SettlingRuns = {
  [Method in "recordResult" | "settleRun"]?: ResultMethods[Method] | undefined;
};

/**
 * One execution attempt of a run, from the first settle to the last.
 *
 * The engine makes one of these when it starts a run, and its one settle point calls
 * {@link RunSettlement.settle} for every way the run can end. Which write happens, in which order,
 * and what a second call does, is decided by the rules in Rust.
 *
 * @example
 * ```ts
 * const settlement = new RunSettlement(store.runs, { runId, kwargs });
 * try {
 *   const state = await execute();
 *   await settlement.settle({ end: "finished", status: "success", result: { values: state } }, writeStatus);
 * } catch (error) {
 *   await settlement.settle({ end: "stopped", status: "error", error: toRunError(error) }, writeStatus);
 * }
 * ```
 */
export class RunSettlement {
  /** True if the server marked the run, so that its result is captured. */
  readonly marked: boolean;
  readonly #runs: SettlingRuns;
  readonly #runId: string;
  #phase = "open";

  /**
   * @param runs the run repository; what it lacks is found at the settle that needs it
   * @param run the run's id, and the kwargs that are *stored* with it
   * @throws `invalid_argument`
   */
  constructor(runs: SettlingRuns, run: { runId: string; kwargs: unknown }) {
    const { runId, kwargs } = readMembers("run", run, "runId", "kwargs");
    this.#runs = runs;
    this.#runId = runId;
    this.marked = readMark(kwargs) !== null;
  }

  /**
   * Ends the run, with its result where one is captured. Answers the effective status: the one that
   * the run row holds.
   *
   * With a store that offers `settleRun` status and result are one write, and `writeStatus` is not
   * called. Otherwise the result is recorded first, and `writeStatus` is called next. A second call
   * changes nothing and answers the status that stands.
   *
   * @throws `capture_failed` before any terminal status is written: settle again, as stopped with
   * `error`; `invalid_argument` before anything is done. What the host's own write of a status throws is
   * thrown on, untouched.
   */
  settle(end: SettleEnd, writeStatus: WriteStatus): Promise<RunStatus> {
    return perform((rules) => {
      const own = membersOf(end);
      const settling = this.#settling(own, writeStatus);
      if (settling.support !== "one-write") requireFunction("writeStatus", writeStatus);
      return rules.settleAttempt(settling, own.end, own.status, own.result);
    });
  }

  #settling({ error, delivery }: EndMembers, writeStatus: WriteStatus): Settling {
    const runs = this.#runs;
    const runId = this.#runId;
    const readPhase = () => this.#phase;
    const writePhase = (phase: string) => {
      this.#phase = phase;
    };
    return {
      runId,
      marking: this.marked ? "marked" : "unmarked",
      support: supportOf(runs),
      get phase() {
        return readPhase();
      },
      set phase(phase) {
        writePhase(phase);
      },
      settleRun: (status, result) =>
        handled(() =>
          runs.settleRun?.(runId, {
            status: status as TerminalRunStatus,
            ...(error === undefined ? {} : { error }),
            ...(result === undefined ? {} : { result }),
            ...(delivery === undefined ? {} : { delivery }),
          }),
        ),
      recordResult: (result) => handled(() => runs.recordResult?.(runId, result)),
      writeStatus: (status) => handled(() => writeStatus(status as TerminalRunStatus, error)),
    };
  }
}

/** The members of an end, each read once; only those that it has by its kind. */
interface EndMembers {
  end: SettleEnd["end"];
  status: TerminalRunStatus;
  result: RunResult | undefined;
  error: unknown;
  delivery: unknown;
}

function membersOf(end: SettleEnd): EndMembers {
  return readArgument("end", () => {
    const { end: kind, status, delivery } = end;
    const result = end.end === "finished" ? end.result : undefined;
    const error = end.end === "stopped" ? end.error : undefined;
    return { end: kind, status, result, error, delivery };
  });
}

function supportOf(runs: unknown): Settling["support"] {
  const offered = callableOf(runs, ["settleRun", "recordResult"]);
  if (offered.includes("settleRun")) return "one-write";
  return offered.includes("recordResult") ? "two-steps" : "lacking";
}
