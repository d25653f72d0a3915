// Ten thousand tasks, as an import brings them.

import { markRun } from "skein-results";

import type { Run, RunKwargs, RunStatus, SkeinStoreSnapshot } from "../contract.js";

export const MANY_TASKS = 10_000;
const THREADS = 100;
const START = Date.UTC(2026, 0, 1);
const STATUSES: readonly RunStatus[] = ["success", "error", "cancelled", "interrupted"];

/** When the task of this place took its status; several did in one millisecond. */
export function timeOfTask(place: number): string {
  return new Date(START + Math.floor(place / 7)).toISOString();
}

export function idOfTask(place: number): string {
  return `task-${String((place * 7_919) % MANY_TASKS).padStart(5, "0")}`;
}

/** Every tenth task has three runs; beside each there is an ordinary one. */
export function manyTasks(): SkeinStoreSnapshot {
  const runs: [string, Run][] = [];
  const runKwargs: [string, RunKwargs][] = [];
  const add = (run_id: string, place: number, status: RunStatus, kwargs?: RunKwargs): void => {
    const at = timeOfTask(place);
    const run: Run = {
      ...{ run_id, status, assistant_id: "echo", thread_id: `thread-${place % THREADS}` },
      ...{ created_at: at, updated_at: at, multitask_strategy: "enqueue" },
      metadata: { owner: { user: `user-${place % 3}`, tenant: "acme" } },
    };
    runs.push([run_id, run]);
    if (kwargs) runKwargs.push([run_id, kwargs]);
  };
  for (let place = 0; place < MANY_TASKS; place += 1) {
    const root = idOfTask(place);
    const input = { text: "x".repeat(200) };
    const turns = place % 10 === 0 ? 3 : 1;
    for (let turn = 0; turn < turns; turn += 1) {
      const status = turn < turns - 1 ? "interrupted" : STATUSES[place % STATUSES.length];
      const kwargs = markRun({ input }, { root, turn, message: "{}" });
      add(turn === 0 ? root : `${root}-${turn}`, place, status ?? "success", kwargs);
    }
    add(`ordinary-${root}`, place, "success");
  }
  const at = timeOfTask(0);
  const threads = Array.from({ length: THREADS }, (_, index): [string, object] => {
    const thread_id = `thread-${index}`;
    const times = { created_at: at, updated_at: at, state_updated_at: at };
    return [
      thread_id,
      { thread_id, ...times, metadata: {}, status: "idle", values: {}, interrupts: {} },
    ];
  }) as SkeinStoreSnapshot["threads"];
  return { assistants: [], threads, runs, runKwargs };
}
