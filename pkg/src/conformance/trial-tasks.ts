import type { RunResult, RunStatus } from "../wasm/shapes.js";
import { markRun } from "../tasks/mark.js";
import type { TaskRecord } from "../tasks/methods.js";
import type { TaskQuery } from "../tasks/query.js";

import type { NewRun } from "./store-under-test.js";
import { newId, type Trial, type TrialRun } from "./trial.js";
import { demandSame } from "./violation.js";

/** A run that carries the server's mark. */
export interface NewTurn extends Partial<NewRun> {
  /** The task that it continues; left out for the first run of one. */
  task?: string;
  /** Its place in the lineage. Default: 0 for a first run, and 1 for another. */
  turn?: number;
  message?: string | null;
  context?: string;
  input?: unknown;
  /** What was recorded for it. */
  result?: RunResult;
}

/** Creates a run of a task, on a thread of its own unless one is named. */
export async function newTurn(trial: Trial, given: NewTurn = {}): Promise<TrialRun> {
  const { task, turn, message = null, context, input = "in", result, ...run } = given;
  const runId = run.runId ?? newId("run");
  const mark = {
    root: task ?? runId,
    turn: turn ?? (task === undefined ? 0 : 1),
    message,
    ...(context === undefined ? {} : { context }),
  };
  const created = await trial.newRun({ ...run, runId, kwargs: markRun({ input }, mark) });
  if (result) await trial.record(runId, result);
  return created;
}

/** A result that a run can be resumed from. */
export function pause(question: string): RunResult {
  return {
    values: { sofar: question },
    interrupts: { task: [{ id: `i-${question}`, value: { question } }] },
    checkpoint: {
      thread_id: "thread",
      checkpoint_ns: "",
      checkpoint_id: question,
      checkpoint_map: null,
    },
  };
}

/** Creates a run of a task that waits for an answer. */
export function newPause(trial: Trial, given: NewTurn = {}): Promise<TrialRun> {
  return newTurn(trial, { status: "interrupted", result: pause("Ship it?"), ...given });
}

/** Results of interrupted runs that were displaced: nothing in them can be resumed from. */
export const NO_PAUSES: readonly (RunResult | undefined)[] = [
  undefined,
  { values: { sofar: 1 }, reply: "almost" },
  { values: {}, interrupts: {} },
];

/** Metadata that only the runs of one case have. */
export function newScope(): Readonly<Record<string, unknown>> {
  return { suite: newId("scope") };
}

/** The ids of the tasks that a query finds, in their order. */
export async function taskIds(trial: Trial, query: Partial<TaskQuery>): Promise<string[]> {
  return (await trial.tasks(query)).tasks.map(({ task }) => task);
}

/** The task of this id, which must be one. */
export async function theTask(
  trial: Trial,
  task: string,
  query: Partial<TaskQuery> = {},
): Promise<TaskRecord> {
  const { tasks } = await trial.tasks({ ...query, task });
  const [found] = tasks;
  demandSame(tasks.length, 1, "The number of tasks of one id");
  return found as TaskRecord;
}

/** Fails the case unless the row holds this status. */
export async function demandStatus(
  trial: Trial,
  { runId }: TrialRun,
  status: RunStatus,
  what: string,
): Promise<void> {
  demandSame((await trial.existingRow(runId)).status, status, `The status of ${what}`);
}
