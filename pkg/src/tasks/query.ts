import type { ResultTexts, RunResult, RunStatus, StoredTexts } from "../wasm/shapes.js";
import { isResult } from "../drivers/driver.js";
import type { TaskState } from "./view.js";
import { ask } from "../wasm/instance.js";

/** What a list of tasks is restricted to, and which page of it is wanted. */
export interface TaskQuery {
  /** One task. */
  readonly task?: string;
  /** The tasks of one thread. */
  readonly thread?: string;
  /**
   * Tasks of runs whose metadata contain these values: the caller's scope. Objects in it are contained,
   * too; lists are refused, since stores do not agree on what contains one.
   */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly state?: TaskState;
  /** Tasks whose status was written then or later: ISO 8601, UTC. */
  readonly since?: string;
  /** Only what comes behind this place of the list. */
  readonly after?: TaskPlace;
  /** How many tasks the page has at most. */
  readonly limit: number;
  /** Whether the answers of completed tasks are read, too; the questions of paused ones always are. */
  readonly answers: boolean;
  /** Whether the tasks before paging are counted. */
  readonly count: boolean;
}

/** The place of a task in a list: its last run, and when that took its status. */
export interface TaskPlace {
  readonly at: string;
  readonly run: string;
}

/**
 * A task as its rows hold it: the last run of its lineage, with the messages of all.
 *
 * Of the texts only those are there that the run's status shows, `values` not beside a `reply`.
 */
export interface StoredTask extends StoredTexts {
  readonly run: string;
  readonly thread: string;
  readonly status: RunStatus;
  /** The run's error as JSON text. */
  readonly error: string | null;
  /** When the run took its status: ISO 8601 in UTC, as precise as the row. */
  readonly at: string;
  /** The id of the lineage's first run. */
  readonly task: string;
  readonly turn: number;
  /** The messages of the lineage in order, as texts. */
  readonly messages: readonly (string | null)[];
  /** The caller's name for the thread. */
  readonly context: string | null;
  /** Whether a later run has started on the thread; of a paused run only. */
  readonly movedOn: boolean;
}

/** A page of tasks. */
export interface StoredTaskPage {
  readonly tasks: readonly StoredTask[];
  /** How many there are before paging; null where they were not counted. */
  readonly total: number | null;
}

/**
 * A time as a store of milliseconds compares it: the first millisecond that is not before it. A page's own
 * `at` is no such time, since it is as precise as the row.
 */
export function millisecondFrom(time: string): string {
  const parsed = Date.parse(time);
  const isBehind = /\.\d{3}\d*[1-9]/.test(time);
  return new Date(isBehind ? parsed + 1 : parsed).toISOString();
}

/** Whether something asks for tasks in the form that every store understands. */
export function isTaskQuery(query: unknown): boolean {
  if (typeof query !== "object" || query === null) return false;
  const { task, thread, metadata, state, since, after, limit } = query as Record<string, unknown>;
  return (
    [task, thread, state].every(isTextOrAbsent) &&
    (since === undefined || isTime(since)) &&
    (metadata === undefined || (typeof metadata === "object" && metadata !== null)) &&
    (after === undefined || isPlace(after)) &&
    Number.isSafeInteger(limit) &&
    Number(limit) >= 0
  );
}

function isTextOrAbsent(member: unknown): boolean {
  return member === undefined || typeof member === "string";
}

function isTime(member: unknown): boolean {
  return typeof member === "string" && !Number.isNaN(Date.parse(member));
}

function isPlace(member: unknown): boolean {
  const { at, run } = member as Record<string, unknown>;
  return isTime(at) && typeof run === "string";
}

/** Whether a scope has a list anywhere in it, or has no end. */
export function holdsList(scope: unknown, levels = 1_000): boolean {
  if (typeof scope !== "object" || scope === null) return false;
  if (Array.isArray(scope) || levels === 0) return true;
  return Object.values(scope).some((member) => holdsList(member, levels - 1));
}

/** The result of a task's last run, as far as it was read; null where nothing of it was. */
export function resultOfTask(task: StoredTask): Partial<RunResult> | null {
  const { values, interrupts, reply, checkpoint } = task;
  const texts = { values, interrupts, reply, checkpoint };
  if (isResult(texts)) return ask((rules) => rules.resultOf(texts));
  if (interrupts === null && reply === null && checkpoint === null) return null;
  const whole: ResultTexts = { ...texts, values: "null" };
  const { values: _unread, ...read } = ask((rules) => rules.resultOf(whole));
  return read;
}
