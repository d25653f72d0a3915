// The promises of the package, asked of a database: the sentences of `src/invariants.rs`, over rows that
// were read once, and over what was seen of the same rows before.

import { readMark, renderTask, type RunMark, type RunResult, type TaskView } from "skein-results";

import type { SeenRows, SeenRun } from "./rows.js";

/** A task as its last run shows it. */
interface SeenTask {
  readonly last: SeenRun;
  readonly state: TaskView["state"];
}

export interface WatchOptions {
  /** Result and status are one write, so that they are never seen apart. */
  oneWrite: boolean;
}

/** Looks at one database again and again, and says which promises it has not kept. */
export class Watch {
  readonly #options: WatchOptions;
  #earlier: ReadonlyMap<string, SeenRun> = new Map();
  #earlierTasks: ReadonlyMap<string, SeenTask> = new Map();
  readonly #erased = new Set<string>();

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** The promises that are broken, each as a sentence with the run in it. */
  see(rows: SeenRows): string[] {
    const runs = new Map(rows.runs.map((run) => [run.run, run]));
    const tasks = tasksOf(rows.runs);
    const broken = [
      ...rows.runs.flatMap((run) => [
        ...atOneMoment(run, runs, this.#options),
        ...this.#sinceEarlier(run),
      ]),
      ...[...tasks].flatMap(([task, seen]) => this.#taskSinceEarlier(task, seen, runs)),
      ...twice(rows.runs),
    ];
    for (const run of this.#earlier.keys()) if (!runs.has(run)) this.#erased.add(run);
    this.#earlier = runs;
    this.#earlierTasks = tasks;
    return broken;
  }

  #sinceEarlier(run: SeenRun): string[] {
    if (this.#erased.has(run.run)) return [`Run ${run.run} was erased and is there again.`];
    const earlier = this.#earlier.get(run.run);
    if (!earlier) return [];
    const broken: string[] = [];
    if (earlier.result && JSON.stringify(earlier.result) !== JSON.stringify(run.result)) {
      broken.push(`The result of run ${run.run} has changed.`);
    }
    const givenUp =
      earlier.status === "interrupted" && isPause(earlier) && run.status === "cancelled";
    if (isOver(earlier) && earlier.status !== run.status && !givenUp) {
      broken.push(`Run ${run.run} ended ${earlier.status} and is ${run.status} now.`);
    }
    return broken;
  }

  #taskSinceEarlier(task: string, now: SeenTask, runs: ReadonlyMap<string, SeenRun>): string[] {
    const earlier = this.#earlierTasks.get(task);
    if (!earlier || !runs.has(earlier.last.run)) return [];
    const { last } = earlier;
    const isEnded = isOver(last) && !(last.status === "interrupted" && isPause(last));
    if (!isEnded || earlier.state === now.state) return [];
    return [`Task ${task} had ended ${earlier.state} and is ${now.state} now.`];
  }
}

/** What must be true when nothing is under way any more. */
export function brokenAtRest({ runs, threads, saved }: SeenRows): string[] {
  const left = runs.filter((run) => !isOver(run));
  const homeless = runs.filter((run) => !threads.has(run.thread));
  const orphaned = [...saved].filter((thread) => !threads.has(thread));
  return [
    ...left.map((run) => `Run ${run.run} is ${run.status}, and nobody executes it.`),
    ...homeless.map((run) => `Run ${run.run} is on thread ${run.thread}, which is not there.`),
    ...orphaned.map((thread) => `Thread ${thread} is not there, and has checkpoints.`),
  ];
}

function atOneMoment(
  run: SeenRun,
  runs: ReadonlyMap<string, SeenRun>,
  { oneWrite }: WatchOptions,
): string[] {
  const mark = readMark(run.kwargs);
  const result = resultOf(run);
  const broken: string[] = [];
  if (mark && run.status === "success" && !result) {
    broken.push(`Run ${run.run} is a success of a task and has no result.`);
  }
  const isTogether = run.status === "success" || run.status === "interrupted";
  const givenUp = run.status === "cancelled" && isPause(run);
  if (oneWrite && result && !isTogether && !givenUp) {
    broken.push(`Run ${run.run} is ${run.status} and has a result.`);
  }
  const checkpointThread = result?.checkpoint?.thread_id;
  if (checkpointThread !== undefined && checkpointThread !== run.thread) {
    broken.push(`The checkpoint of run ${run.run} lies on another thread.`);
  }
  const root = mark && runs.get(mark.root);
  if (root && root.thread !== run.thread) {
    broken.push(`Run ${run.run} names a task of another thread.`);
  }
  return [...broken, ...(mark ? brokenlyShown(run, mark) : [])];
}

function brokenlyShown(run: SeenRun, mark: RunMark): string[] {
  const { state, artifact } = view(run, mark, false);
  const isSuccess = run.status === "success";
  return [
    ...((state === "completed") === isSuccess
      ? []
      : [`Run ${run.run} is ${run.status} and is shown ${state}.`]),
    ...(artifact && !isSuccess ? [`Run ${run.run} is ${run.status} and shows an artifact.`] : []),
  ];
}

/** Runs of one task that are its same turn. */
function twice(runs: readonly SeenRun[]): string[] {
  const turns = new Set<string>();
  return runs.flatMap((run) => {
    const mark = readMark(run.kwargs);
    if (!mark) return [];
    const turn = JSON.stringify([run.thread, mark.root, mark.turn]);
    if (turns.has(turn)) return [`Run ${run.run} is a turn that its task has already.`];
    turns.add(turn);
    return [];
  });
}

function tasksOf(runs: readonly SeenRun[]): Map<string, SeenTask> {
  const marked = runs.flatMap((run, place) => {
    const mark = readMark(run.kwargs);
    return mark ? [{ run, mark, place }] : [];
  });
  const tasks = new Map<string, SeenTask>();
  for (const first of marked) {
    if (first.mark.root !== first.run.run) continue;
    const lineage = marked.filter(
      ({ run, mark }) => mark.root === first.run.run && run.thread === first.run.thread,
    );
    const last = lineage.reduce((one, other) => (other.mark.turn > one.mark.turn ? other : one));
    const movedOn = runs
      .slice(last.place + 1)
      .some((later) => later.thread === last.run.thread && later.status !== "pending");
    const { state } = view(last.run, last.mark, movedOn);
    tasks.set(first.run.run, { last: last.run, state });
  }
  return tasks;
}

function view(run: SeenRun, mark: RunMark, movedOn: boolean): TaskView {
  const row = { run_id: run.run, thread_id: run.thread, status: run.status, updated_at: NO_TIME };
  return renderTask({ run: row, mark, result: resultOf(run), movedOn });
}

const NO_TIME = new Date(0).toISOString();

function isOver({ status }: SeenRun): boolean {
  return status !== "pending" && status !== "running";
}

function isPause(run: SeenRun): boolean {
  const result = resultOf(run);
  return Object.keys(result?.interrupts ?? {}).length > 0 || result?.checkpoint !== undefined;
}

function resultOf({ result }: SeenRun): RunResult | null {
  if (!result) return null;
  const members = Object.entries(result).filter(([, text]) => text !== null);
  const parsed = members.map(([name, text]) => [name, JSON.parse(text as string) as unknown]);
  return Object.fromEntries(parsed) as RunResult;
}
