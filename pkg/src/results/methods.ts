import type {
  ResultEntry,
  ResultTexts,
  RunResult,
  StatusOutcome,
  TerminalRunStatus,
} from "../wasm/shapes.js";
import {
  readArgument,
  readMembers,
  requireFunction,
  requireText,
  requireThat,
} from "../wasm/argument.js";
import { bindDriver } from "../drivers/bound-driver.js";
import type { ResultDriver } from "../drivers/driver.js";
import { attachEntries, exportEntries, type SnapshotResults } from "./snapshot.js";
import { addTaskMethods, type TaskMethods, type TaskPrimitive } from "../tasks/methods.js";
import { copyEntries, type ThreadCopy } from "./thread-copy.js";
import { perform } from "../wasm/instance.js";

/** What a settle of a run writes. */
export interface RunSettle {
  status: TerminalRunStatus;
  /** The host's own error value for the run row. */
  error?: unknown;
  /** The result, only where the run's result is captured. */
  result?: RunResult;
  /** The host's own outbox entry, recorded in the same transaction. */
  delivery?: unknown;
}

/**
 * What a store offers for results: spread it into the run repository, or forward to it.
 *
 * The functions need no `this`. `settleRun`, `cancelRun`, `startRun` and those about tasks are there only if the
 * driver has the primitive, so that a wrapper can test for them.
 */
export interface ResultMethods extends Partial<TaskMethods> {
  /**
   * Keeps a run's result. The first write wins; a write to an unknown or deleted run is a no-op. The
   * text is taken when this is *called*: changing the object later changes nothing.
   *
   * @throws `invalid_result`, `not_serializable`, `too_deep`, `driver_failed`
   */
  recordResult(runId: string, result: RunResult): Promise<void>;

  /**
   * The result of a run as plain wire JSON, a fresh copy each time, or null.
   *
   * @throws `driver_failed`, `driver_answer`, `corrupt_result`
   */
  getResult(runId: string): Promise<RunResult | null>;

  /**
   * Ends a run that is in flight, with its result, in one atomic write. If the run has ended already
   * neither status nor result is written, and the effective status is the answer.
   *
   * @throws as `recordResult`, `driver_answer`, and `invalid_argument` for a status that is not final
   */
  settleRun?(runId: string, settle: RunSettle): Promise<StatusOutcome | null>;

  /**
   * Cancels a run that is in flight; a run that has ended keeps its status, which is the answer.
   *
   * @throws `driver_failed`, `driver_answer`
   */
  cancelRun?(runId: string): Promise<StatusOutcome | null>;

  /**
   * Starts a run that is in flight: its status is `running` then. A run that has ended keeps its status,
   * which is the answer, and must not be executed.
   *
   * @throws `driver_failed`, `driver_answer`
   */
  startRun?(runId: string): Promise<StatusOutcome | null>;

  /**
   * The results of these runs as entries of a snapshot; runs without one are left out.
   *
   * @throws as `getResult`, and `invalid_argument`
   */
  exportResults(runIds: readonly string[]): Promise<SnapshotResults>;

  /**
   * Attaches the entries of {@link mergeResults} to the runs that exist now and have no result. Call
   * it after the runs are inserted, in the same transaction.
   *
   * @param transaction the host's open transaction, as the driver's documentation names it
   * @throws `driver_failed`, `invalid_argument`
   */
  attachResults(entries: readonly ResultEntry[], transaction?: unknown): Promise<void>;

  /**
   * Gives the copies of a thread's runs their results, with the checkpoint on the copy's thread. Call
   * it after the copies are inserted, in the same transaction, so that no copy is seen without its
   * result.
   *
   * @param transaction the host's open transaction, as the driver's documentation names it
   * @throws `driver_failed`, `corrupt_result`, `invalid_argument`
   */
  copyResults(copy: ThreadCopy, transaction?: unknown): Promise<void>;
}

/** Options of {@link resultMethods}. */
export interface ResultOptions {
  /** The clock of the written times. Default: the system's. */
  clock?: () => Date;
}

/** The methods over a driver `D`: those of optional primitives are there if its type has them. */
export type ResultMethodsOf<D extends ResultDriver> = ResultMethods &
  (D extends Required<Pick<ResultDriver, "settle">>
    ? Required<Pick<ResultMethods, "settleRun">>
    : unknown) &
  (D extends Required<Pick<ResultDriver, "cancel">>
    ? Required<Pick<ResultMethods, "cancelRun">>
    : unknown) &
  (D extends Required<Pick<ResultDriver, "start">>
    ? Required<Pick<ResultMethods, "startRun">>
    : unknown) &
  (D extends Required<Pick<ResultDriver, TaskPrimitive>> ? TaskMethods : unknown);

/**
 * The result methods over a driver.
 *
 * @throws `driver_incomplete` for a driver without `record` or `read`, at once; `invalid_argument`
 *
 * @example
 * ```ts
 * import { resultMethods } from "skein-results";
 * import { sqliteDriver } from "skein-results/sqlite";
 *
 * const runs = { ...ownMethods, ...resultMethods(sqliteDriver({ database })) };
 * await runs.recordResult(runId, { values: { answer: 42 } });
 * ```
 */
export function resultMethods<D extends ResultDriver>(
  driver: D,
  options: ResultOptions = {},
): ResultMethodsOf<D> {
  const primitives = bindDriver(driver);
  const { settle, cancel, start } = primitives;
  const now = clockOf(options);

  const methods: ResultMethods = {
    recordResult: (runId, result) =>
      perform((rules) => rules.recordResult(primitives, runId, result)),
    getResult: (runId) => perform((rules) => rules.getResult(primitives, runId)),
    exportResults: (runIds) => exportEntries(primitives, runIds),
    attachResults: (entries, transaction) => attachEntries(primitives, entries, transaction),
    copyResults: (copy, transaction) => copyEntries(primitives, copy, transaction),
  };
  if (settle) {
    methods.settleRun = (runId, given) =>
      perform((rules) => {
        const own = readMembers("settle", given, "status", "error", "result", "delivery");
        const { status, error, result, delivery } = own;
        requireThat("status", "a final status", () => rules.isTerminalStatus(status));
        const write = { status, error, delivery, at: now() };
        const call = (id: string, texts: ResultTexts | null) =>
          settle(id, { ...write, result: texts });
        return rules.settleRun({ settle: call }, runId, result);
      });
  }
  if (cancel) {
    methods.cancelRun = (runId) =>
      perform((rules) => {
        const write = { at: now() };
        return rules.cancelRun({ cancel: (id) => cancel(id, write) }, runId);
      });
  }
  if (start) {
    methods.startRun = (runId) =>
      perform((rules) => {
        const write = { at: now() };
        return rules.startRun({ start: (id) => start(id, write) }, runId);
      });
  }
  addTaskMethods(methods, primitives, now);
  return methods as ResultMethodsOf<D>;
}

/** The time as it is written. What the host's clock throws is its own failure. */
function clockOf(options: ResultOptions): () => string {
  const clock = readArgument("options", () => options.clock) ?? (() => new Date());
  requireFunction("clock", clock);
  return () => {
    const time = clock();
    const text = readArgument("clock", () => time.toISOString());
    requireText("clock", text);
    return text;
  };
}
