// The glue that wasm-bindgen writes, as far as the facade uses it. Written by hand: what it throws
// and what its callbacks are given is stated here, and held by the boundary tests.

import type { ResultEntry, ResultTexts, RunResult, RunStatus, StatusOutcome } from "./shapes.js";

/** A host's driver, bound, as far as a call needs it. */
export interface RecordCall {
  record(run: string, texts: ResultTexts): unknown;
}
export interface ReadCall {
  read(run: string): unknown;
}
export interface SettleCall {
  settle(run: string, texts: ResultTexts | null): unknown;
}
export interface CancelCall {
  cancel(run: string): unknown;
}
export interface StartCall {
  start(run: string): unknown;
}
export interface CancelPausedCall {
  cancelPaused(run: string): unknown;
}

/** One settle of one attempt: its phase, and the host's calls. */
export interface Settling {
  readonly runId: string;
  readonly marking: "marked" | "unmarked";
  readonly support: "one-write" | "two-steps" | "lacking";
  phase: string;
  settleRun(status: string, result: RunResult | undefined): unknown;
  recordResult(result: RunResult): unknown;
  writeStatus(status: string): unknown;
}

/** A mark as it is stored. */
export interface StoredMark {
  v: number;
  root: string;
  turn: number;
  message: string | null;
  context?: string;
}

export interface TaskFacts {
  status: string;
  reply: Shape;
  values: Shape;
  pause: "none" | "breakpoint" | "questions";
  thread: "at-this-run" | "moved-on";
}
export type Shape = "absent" | "null" | "text" | "data" | "parts";

export interface TaskPlan {
  state: "submitted" | "working" | "completed" | "failed" | "canceled" | "input-required";
  artifact:
    { source: "reply" | "values"; part: "text" | "data" | "wrapped-null" | "parts" } | undefined;
  note: "none" | "questions" | "failure";
}

export interface SqlStatements {
  record: string;
  read: string;
  settle: string;
  cancel: string;
  start: string;
  status: string;
  readMany: string;
  attachMany: string;
  lockMany: string | undefined;
  checkpoints: string;
  copyMany: string;
}

export interface RunTableNames {
  table: string;
  id: string;
  status: string;
  error: string;
  updatedAt: string;
  thread: string;
  order: string;
  kwargs: string;
  metadata: string;
}

/** A statement, and the names of its parameters in the order of their numbers. */
export interface Statement {
  text: string;
  parameters: string[];
}

export interface TaskStatements {
  cancelPaused: Statement;
  passOver: Statement;
  lockPaused: Statement | undefined;
  resumable: Statement;
}

export interface TaskQueryFilter {
  /** The names of the given parameters. */
  given: string[];
  state: TaskPlan["state"] | undefined;
  answers: boolean;
}

export interface ResumeFacts {
  status: string;
  movedOn: boolean;
  thread: string;
  paused: { thread: string; checkpoint: string } | null;
  asked: (string | null)[] | null;
  exact: string | null;
  tip: string | null;
  pending: (string | null)[];
  named: string[] | null;
}

export default function init(source: { module_or_path: unknown }): Promise<unknown>;
export function initSync(source: { module: BufferSource | WebAssembly.Module }): unknown;

/** Replaces the instance by a new one of the same module. */
export function __wbg_reset_state(): void;

/** What the host still has to answer, and how the instance is told. */
export interface AwaitedAnswer {
  promise: Promise<unknown>;
  resolved(value: unknown): void;
  rejected(thrown: unknown): void;
}

/** Work that is done, or that waits for the host: its next step is to be taken when it was told the answer. */
export type Work<T> = [outcome: T] | [answer: AwaitedAnswer, step: () => Work<T>];

export function recordResult(driver: RecordCall, run: string, result: unknown): Work<void>;
export function getResult(driver: ReadCall, run: string): Work<RunResult | null>;
export function settleRun(
  driver: SettleCall,
  run: string,
  result: RunResult | undefined,
): Work<StatusOutcome | null>;
export function cancelRun(driver: CancelCall, run: string): Work<StatusOutcome | null>;
export function startRun(driver: StartCall, run: string): Work<StatusOutcome | null>;
export function cancelPausedRun(driver: CancelPausedCall, run: string): Work<StatusOutcome | null>;
export function settleAttempt(
  settling: Settling,
  end: string,
  status: string,
  result: RunResult | undefined,
): Work<RunStatus>;

export function wireText(value: unknown): string | undefined;
export function isTerminalStatus(status: string): boolean;
export function endsRun(current: string, requested: string): boolean;
export function startsRun(current: string): boolean;
export function storesResult(slot: "no-run" | "empty" | "written"): boolean;
export function markKey(): string;
export function newMark(mark: unknown): StoredMark;
export function readMark(kwargs: unknown): StoredMark | null;
export function checkDriver(offered: readonly string[]): void;
export function checkAdmission(offered: readonly string[]): void;
export function sqlStatements(dialect: "sqlite" | "postgres", names: RunTableNames): SqlStatements;
export function taskStatements(
  dialect: "sqlite" | "postgres",
  names: RunTableNames,
): TaskStatements;
export function taskQuery(
  dialect: "sqlite" | "postgres",
  names: RunTableNames,
  filter: TaskQueryFilter,
): { page: Statement; count: Statement; lineage: Statement };
export function planResume(facts: ResumeFacts): string | true | null;
export function beginResume(
  paused: string | undefined,
  checkpoint: string,
  tip: string | undefined,
  base: string | undefined,
): boolean;
export function pageSize(wanted: number | undefined): number;
export function pageToken(at: string, run: string): string;
export function pageCursor(token: string): [at: string, run: string] | null;
export function planTask(facts: TaskFacts): TaskPlan;
export function mergeResults(
  version: unknown,
  results: unknown,
  knows: ((runId: string) => boolean) | undefined,
): ResultEntry[];
export function copiedMark(
  kwargs: unknown,
  copyOf: (runId: string) => string | undefined,
): StoredMark | null;
export function importedMarkStands(
  run: string,
  thread: string,
  kwargs: unknown,
  rootOf: (runId: string) => { thread: string; kwargs: unknown } | null,
): boolean;
export function copiedCheckpoint(text: string, source: string, target: string): string;
export function resultOf(texts: ResultTexts): RunResult;
export function callPrimitive<T>(primitive: string, call: () => T | PromiseLike<T>): Work<T>;

export type StorageKind = "local" | "session";
export interface BrowserRow {
  status: RunStatus;
  error: string | null;
  updatedAt: string;
  thread: string;
  row: string;
  /** Given, and not answered. */
  stamp?: string;
}
export interface BrowserEnding {
  status: RunStatus;
  error: string | null;
  at: string;
  result: ResultTexts | null;
  stamp: string;
}
export function browserStamp(kind: StorageKind, prefix: string, run: string): string | undefined;
export function browserCheck(kind: StorageKind): void;
export function browserCreate(
  kind: StorageKind,
  prefix: string,
  run: string,
  row: BrowserRow,
): void;
export function browserRow(kind: StorageKind, prefix: string, run: string): BrowserRow | null;
export function browserSetStatus(
  kind: StorageKind,
  prefix: string,
  run: string,
  ending: BrowserEnding,
): boolean;
export function browserDelete(kind: StorageKind, prefix: string, run: string): void;
export function browserRuns(kind: StorageKind, prefix: string): string[];
export function browserRecord(
  kind: StorageKind,
  prefix: string,
  run: string,
  texts: ResultTexts,
  stamp: string,
): void;
export function browserRead(kind: StorageKind, prefix: string, run: string): ResultTexts | null;
export function browserSettle(
  kind: StorageKind,
  prefix: string,
  run: string,
  ending: BrowserEnding,
): StatusOutcome | null;
