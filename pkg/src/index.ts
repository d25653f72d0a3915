/**
 * Durable results of runs: an A2A task keeps its first answer.
 *
 * - A store: {@link resultMethods} over a {@link ResultDriver}.
 * - An engine: {@link RunSettlement} at its one settle point.
 * - A snapshot and a copied thread: {@link mergeResults}, {@link importedKwargs}, {@link copiedKwargs}.
 * - An answer to a paused run: {@link planResume}, {@link beginResume}.
 * - A server: {@link markRun}, {@link requireResultSupport}, {@link renderTask}.
 *
 * @packageDocumentation
 */

export type {
  ResultEntry,
  ResultTexts,
  RunResult,
  RunStatus,
  StatusOutcome,
  StoredTexts,
  TerminalRunStatus,
} from "./wasm/shapes.js";
export type {
  MaybePromise,
  CancelWrite,
  ResultCopy,
  ResultDriver,
  SettleWrite,
} from "./drivers/driver.js";
export {
  isSkeinResultsError,
  SkeinResultsError,
  type ErrorCode,
  type ErrorDetails,
} from "./wasm/errors.js";
export { markRun, readMark, RUN_MARK_KEY, withoutMark, type RunMark } from "./tasks/mark.js";
export {
  beginResume,
  planResume,
  type ContinuationFacts,
  type ResumeAnswer,
  type ResumeFacts,
  type ResumePlan,
} from "./tasks/resume.js";
export {
  resultMethods,
  type ResultMethods,
  type ResultMethodsOf,
  type ResultOptions,
  type RunSettle,
} from "./results/methods.js";
export {
  RunSettlement,
  type SettleEnd,
  type SettlingRuns,
  type WriteStatus,
} from "./results/settlement.js";
export {
  importedKwargs,
  mergeResults,
  type ImportedRun,
  type ResultSnapshot,
  type SnapshotResults,
} from "./results/snapshot.js";
export { requireResultSupport, supportsResults, type ResultRepo } from "./results/support.js";
export type { TaskMethods, TaskPage, TaskRecord } from "./tasks/methods.js";
export type { StoredTask, StoredTaskPage, TaskPlace, TaskQuery } from "./tasks/query.js";
export {
  renderTask,
  type TaskPart,
  type TaskRun,
  type TaskSource,
  type TaskState,
  type TaskView,
} from "./tasks/view.js";
export { copiedCheckpoint, copiedKwargs, type ThreadCopy } from "./results/thread-copy.js";
export { isTerminalRunStatus, serializeWireJson } from "./results/wire.js";
export { init, type WasmSource } from "./wasm/instance.js";
