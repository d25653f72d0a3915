import type {
  ResultEntry,
  ResultTexts,
  StatusOutcome,
  StoredTexts,
  TerminalRunStatus,
} from "../wasm/shapes.js";
import type { StoredTaskPage, TaskQuery } from "../tasks/query.js";

/** A value, or a promise of it. A driver that answers at once costs no promise. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * The host's store of results, as a handful of primitives.
 *
 * **Each primitive is one host call that is atomic against every other writer**: one conditional
 * statement, one transaction, or a function without an `await` between its check and its write. A
 * primitive may answer at once or with a promise. What it throws is kept as the `cause` of a
 * `driver_failed` error.
 *
 * `record` and `read` are required; a driver without one of them is refused with `driver_incomplete`
 * when it is handed over. Each of the others, when it is absent, has a documented weaker form.
 *
 * Deleting a run must delete its result in the same step: keep the texts in columns of the run's own
 * row, and every way to delete the row does it.
 *
 * @example
 * ```ts
 * const driver: ResultDriver = {
 *   record: (runId, texts) =>
 *     db.run("UPDATE runs SET v = ?, i = ?, r = ?, c = ? WHERE id = ? AND v IS NULL",
 *       [texts.values, texts.interrupts, texts.reply, texts.checkpoint, runId]),
 *   read: (runId) =>
 *     db.get('SELECT v AS "values", i AS interrupts, r AS reply, c AS checkpoint FROM runs WHERE id = ?', [runId]),
 * };
 * ```
 */
export interface ResultDriver {
  /**
   * Stores the texts if the run exists and has none; otherwise changes nothing and reports nothing.
   * Of several writers at the same time exactly one wins.
   */
  record(runId: string, texts: ResultTexts): MaybePromise<void>;

  /**
   * The texts of a run, or null for an unknown run and for one without a result. An answer whose
   * `values` is null counts as "no result", so that a row can be returned as it is.
   */
  read(runId: string): MaybePromise<ResultTexts | StoredTexts | null | undefined>;

  /**
   * If the run is in flight (`pending`, `running`): writes its terminal status, error and time, and
   * the texts where there are any and the run has none. The delivery, where there is one, is recorded
   * in the same transaction, and always.
   *
   * *Without it*: the result is recorded first and the host writes the status next. A crash between
   * the two leaves a result on a run in flight; the re-run keeps that first result.
   */
  settle?(runId: string, write: SettleWrite): MaybePromise<StatusOutcome | null>;

  /**
   * If the run is in flight: writes the status `cancelled`, clears the error and writes the time.
   *
   * *Without it*: the host reads the row and then writes it, and an engine that settles in between
   * is overwritten. Rendering hides half of that, since it follows the row.
   */
  cancel?(runId: string, write: CancelWrite): MaybePromise<StatusOutcome | null>;

  /**
   * If the run is in flight: writes the status `running` and clears the error; the time is written
   * only where the status was another. The engine asks this when the run's turn has come, and executes
   * it only if the answer says that it won: also when the run is `running` already, because the process
   * that executed it is gone.
   *
   * *Without it*: the host reads the row and then writes it. A cancel, or another end, that another
   * process writes between the two is overwritten, and the run is executed all the same.
   */
  start?(runId: string, write: StartWrite): MaybePromise<StatusOutcome | null>;

  /**
   * The texts of many runs, for an export; runs without a result are left out.
   *
   * *Without it*: the runs are read one by one.
   */
  readMany?(runIds: readonly string[]): MaybePromise<readonly ResultEntry[]>;

  /**
   * Stores the texts of each run that exists and has none, all in one step: an import, after the runs
   * are there. No run stands in two entries.
   *
   * *Without it*: the entries are recorded one by one, and an import that fails half way leaves the
   * first ones. Each is whole, and importing again attaches the rest.
   *
   * @param transaction the host's open transaction, as its own driver knows it; undefined for none
   */
  attachMany?(entries: readonly ResultEntry[], transaction?: unknown): MaybePromise<void>;

  /**
   * Gives each target, which exists and has no result, the texts of its source, all in one step. Only
   * the checkpoint changes: `checkpointFor` makes the target's text of the source's.
   *
   * *Without it*: the results are read and recorded one by one, and a copied run can be seen without
   * its result for a moment.
   *
   * @param transaction the host's open transaction, in which the targets were created; undefined for none
   */
  copyMany?(
    copies: readonly ResultCopy[],
    checkpointFor: (text: string) => string,
    transaction?: unknown,
  ): MaybePromise<void>;

  /**
   * The tasks that a query asks for, each as the last run of its lineage, newest status first.
   *
   * *Without it*: a task is read run by run, and tasks cannot be listed.
   */
  taskPage?(query: TaskQuery): MaybePromise<StoredTaskPage>;

  /**
   * If the run is `interrupted`, holds what it can be resumed from, and is the last of its lineage:
   * writes the status `cancelled` and the time. It is the one second end that a run can have, and is
   * called inside the thread's execution claim.
   *
   * *Without it*: a paused task cannot be cancelled.
   */
  cancelPaused?(runId: string, write: CancelWrite): MaybePromise<StatusOutcome | null>;

  /**
   * Called when a run has started: cancels, as `cancelPaused` does, the paused tasks that came before it
   * on its thread, but for the one whose lineage it continues.
   *
   * *Without it*: such a task is shown as canceled all the same, with the time at which it paused.
   */
  passOver?(runId: string, write: CancelWrite): MaybePromise<void>;

  /**
   * If the run is `interrupted` and the last of its thread, and no run of the thread is in flight: calls
   * `create`, which inserts the run that resumes it, in the same transaction. Of several answers at the
   * same time one is admitted. Answers whether it was; what `create` throws is handed on, and nothing is
   * written then.
   *
   * *Without it*: the host's own atomic admission to an idle thread stands in, inside the execution
   * claim.
   *
   * @param create given the transaction as the driver's documentation names it; on SQLite and in memory it
   * must not return a promise
   */
  admitResume?(runId: string, create: (transaction?: unknown) => unknown): MaybePromise<boolean>;
}

/** A run that is copied, and its copy. */
export interface ResultCopy {
  readonly from: string;
  readonly to: string;
}

/** True for an answer of `read` that is a result. */
export function isResult(
  answer: ResultTexts | StoredTexts | null | undefined,
): answer is ResultTexts {
  return answer?.values !== null && answer?.values !== undefined;
}

/** What `settle` writes. */
export interface SettleWrite {
  readonly status: TerminalRunStatus;
  /** The host's own error value for the run row; undefined clears it. */
  readonly error: unknown;
  /** When: ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** The texts to store with the status; null for a run that has no result. */
  readonly result: ResultTexts | null;
  /** The host's own outbox entry, handed through; undefined where there is none. */
  readonly delivery: unknown;
}

/** What `cancel` writes. */
export interface CancelWrite {
  /** When: ISO 8601, UTC, milliseconds. */
  readonly at: string;
}

/** What `start` writes. */
export interface StartWrite {
  /** When: ISO 8601, UTC, milliseconds. */
  readonly at: string;
}
