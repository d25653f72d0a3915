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
  Answer,
  CancelWrite,
  EndedRun,
  ResultCopy,
  ResultDriver,
  ResultEntry,
  ResultTexts,
  SettleWrite,
  StoredTexts,
} from "./driver.js";
export {
  isSkeinResultsError,
  SkeinResultsError,
  type ErrorCode,
  type ErrorDetails,
} from "./errors.js";
export { markRun, readMark, RUN_MARK_KEY, withoutMark, type RunMark } from "./mark.js";
export {
  beginResume,
  planResume,
  type ContinuationFacts,
  type ResumeAnswer,
  type ResumeFacts,
  type ResumePlan,
} from "./resume.js";
export {
  resultMethods,
  type ResultMethods,
  type ResultMethodsOf,
  type ResultOptions,
  type RunSettle,
} from "./results.js";
export type { RunResult, RunStatus, TerminalRunStatus } from "./run-result.js";
export {
  RunSettlement,
  type SettleEnd,
  type SettlingRuns,
  type WriteStatus,
} from "./settlement.js";
export {
  importedKwargs,
  mergeResults,
  type ImportedRun,
  type ResultSnapshot,
  type SnapshotResults,
} from "./snapshot.js";
export { requireResultSupport, supportsResults, type ResultRepo } from "./support.js";
export type { TaskMethods, TaskPage, TaskRecord } from "./task-methods.js";
export type { StoredTask, StoredTaskPage, TaskPlace, TaskQuery } from "./task-query.js";
export {
  renderTask,
  type TaskPart,
  type TaskRun,
  type TaskSource,
  type TaskState,
  type TaskView,
} from "./task.js";
export { copiedCheckpoint, copiedKwargs, type ThreadCopy } from "./thread-copy.js";
export { isTerminalRunStatus, serializeWireJson } from "./wire.js";
export { init, type WasmSource } from "./wasm/instance.js";
