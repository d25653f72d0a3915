import type { RunResult, StatusOutcome, StoredTexts } from "../wasm/shapes.js";
import { readArgument, requireFunction, requireThat } from "../wasm/argument.js";
import { callPrimitive, type BoundDriver } from "../drivers/bound-driver.js";
import { requireFlag, requireTaskPage } from "../drivers/answers.js";
import { SkeinResultsError } from "../wasm/errors.js";
import { holdsList, isTaskQuery, resultOfTask, type StoredTask, type TaskQuery } from "./query.js";
import { perform } from "../wasm/instance.js";

/** The primitives of a driver that knows tasks. */
export type TaskPrimitive = "taskPage" | "cancelPaused" | "passOver" | "admitResume";

/** A page of tasks, with their results. */
export interface TaskPage {
  tasks: TaskRecord[];
  /** How many there are before paging; null where they were not counted. */
  total: number | null;
}

/** A task as its rows hold it, and the result of its last run as far as its status shows it. */
export interface TaskRecord extends Omit<StoredTask, keyof StoredTexts> {
  result: Partial<RunResult> | null;
}

/** What a store offers for tasks, where its driver knows them. */
export interface TaskMethods {
  /**
   * The tasks that a query asks for, each by the last run of its lineage, newest status first. Scope it
   * to its caller by `metadata`, or leave it out of what a caller is given.
   *
   * @throws `invalid_argument`, also for a scope with a list in it; `driver_failed`, `driver_answer`,
   * `corrupt_result`
   */
  taskPage(query: TaskQuery): Promise<TaskPage>;

  /**
   * Cancels a paused task's last run: the one second end that a run can have. Call it inside the thread's
   * execution claim.
   *
   * @throws `driver_failed`, `driver_answer`
   */
  cancelPausedRun(runId: string): Promise<StatusOutcome | null>;

  /**
   * Cancels the paused tasks that a run leaves behind on its thread. Call it when the run has started,
   * inside the thread's execution claim.
   *
   * @throws `driver_failed`
   */
  passOverPaused(runId: string): Promise<void>;

  /**
   * Admits the run that resumes a paused one: `create` inserts it in the transaction that has found the
   * thread as it should be. Of several answers at the same time one is admitted.
   *
   * @returns whether it was admitted
   * @throws what `create` throws; `driver_failed`, `driver_answer`, `invalid_argument`
   */
  admitResume(runId: string, create: (transaction?: unknown) => unknown): Promise<boolean>;
}

/** What a driver that knows tasks offers. */
export function addTaskMethods(
  methods: Partial<TaskMethods>,
  driver: BoundDriver,
  now: () => string,
): void {
  const { taskPage, cancelPaused, passOver, admitResume } = driver;
  if (taskPage) {
    methods.taskPage = async (query) => {
      requireThat("query", "a query of tasks", () => isTaskQuery(query));
      if (readArgument("metadata", () => holdsList(query.metadata))) throw listInScope();
      const answer = await callPrimitive("taskPage", () => taskPage(query));
      const { tasks, total } = requireTaskPage(answer);
      return { tasks: tasks.map(taskRecord), total };
    };
  }
  if (cancelPaused) {
    methods.cancelPausedRun = (runId) => {
      return perform((rules) => {
        const write = { at: now() };
        return rules.cancelPausedRun({ cancelPaused: (id) => cancelPaused(id, write) }, runId);
      });
    };
  }
  if (passOver) {
    methods.passOverPaused = async (runId) => {
      const write = { at: now() };
      await callPrimitive("passOver", () => passOver(runId, write));
    };
  }
  if (admitResume) {
    methods.admitResume = async (runId, create) => {
      requireFunction("create", create);
      const thrown: unknown[] = [];
      const creating = (transaction?: unknown) => keepingThrown(() => create(transaction), thrown);
      try {
        return requireFlag(await callPrimitive("admitResume", () => admitResume(runId, creating)));
      } catch (error) {
        throw thrown.length > 0 ? thrown[0] : error;
      }
    };
  }
}

/** Does the host's work; what it throws is its own failure, not the driver's. */
function keepingThrown(work: () => unknown, thrown: unknown[]): unknown {
  const keep = (error: unknown): never => {
    thrown.push(error);
    throw error;
  };
  try {
    const answer = work();
    return isPromiseLike(answer) ? answer.then(undefined, keep) : answer;
  } catch (error) {
    return keep(error);
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null)?.then === "function";
}

function listInScope(): SkeinResultsError {
  return new SkeinResultsError(
    "invalid_argument",
    "Tasks cannot be found by a list in the runs' metadata, nor by what is nested deeper than 1,000 levels. Pass texts, numbers, booleans, null and objects of them as the scope.",
  );
}

function taskRecord(task: StoredTask): TaskRecord {
  const { values: _values, interrupts: _asked, reply: _reply, checkpoint: _at, ...row } = task;
  return { ...row, result: resultOfTask(task) };
}
