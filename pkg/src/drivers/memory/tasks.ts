import type { ResultTexts } from "../../wasm/shapes.js";
import type { MemoryRun } from "./index.js";
import { readErrorText } from "../../results/run-error.js";
import { readMark, type RunMark } from "../../tasks/mark.js";
import {
  millisecondFrom,
  type StoredTask,
  type StoredTaskPage,
  type TaskPlace,
  type TaskQuery,
} from "../../tasks/query.js";
import { pauseOfTexts, stateOf } from "../../tasks/view.js";

/** What the tasks of a memory host are read from. */
export interface MemoryTables {
  readonly runs: ReadonlyMap<string, MemoryRun>;
  /** The server's mark on a run, from its kwargs. */
  readonly markOf: (runId: string) => RunMark | null;
  readonly resultOf: (runId: string) => ResultTexts | null;
}

interface MarkedRun {
  id: string;
  run: MemoryRun;
  mark: RunMark;
}

type Lineage = [MarkedRun, ...MarkedRun[]];

/** The runs of each task that is one: whose first run is there, on the same thread. */
function lineages({ runs, markOf }: MemoryTables, thread?: string): Map<string, Lineage> {
  const byTask = new Map<string, Lineage>();
  for (const [id, run] of runs) {
    if (thread !== undefined && run.thread_id !== thread) continue;
    const mark = markOf(id);
    if (!mark) continue;
    const lineage = byTask.get(mark.root);
    if (lineage) lineage.push({ id, run, mark });
    else byTask.set(mark.root, [{ id, run, mark }]);
  }
  for (const [task, lineage] of byTask) {
    const first = lineage.find(({ id, mark }) => id === task && mark.turn === 0);
    const later = lineage.filter(
      (turn) => turn !== first && turn.run.thread_id === first?.run.thread_id,
    );
    later.sort((left, right) => left.mark.turn - right.mark.turn);
    if (first) byTask.set(task, [first, ...later]);
    else byTask.delete(task);
  }
  return byTask;
}

/** The lineage of a run that is the last of it; undefined for another one, and for an ordinary run. */
export function lineageEndingIn(tables: MemoryTables, runId: string): Lineage | undefined {
  const mark = tables.markOf(runId);
  const lineage = mark ? lineages(tables, threadOf(tables, runId)).get(mark.root) : undefined;
  return lineage?.at(-1)?.id === runId ? lineage : undefined;
}

function threadOf({ runs }: MemoryTables, runId: string): string {
  return runs.get(runId)?.thread_id ?? "";
}

/** Whether a later run of the thread is such; a map keeps its runs in the order of their creation. */
export function isFollowed(
  runs: ReadonlyMap<string, MemoryRun>,
  runId: string,
  such: (later: MemoryRun) => boolean,
): boolean {
  const thread = runs.get(runId)?.thread_id;
  let isLater = false;
  for (const [id, run] of runs) {
    if (isLater && run.thread_id === thread && such(run)) return true;
    if (id === runId) isLater = true;
  }
  return false;
}

/** A page of the tasks of a memory host. */
export function memoryTaskPage(tables: MemoryTables, query: TaskQuery): StoredTaskPage {
  const thread = query.thread ?? (query.task && threadOf(tables, query.task));
  const found = [...lineages(tables, thread).values()]
    .map((lineage) => ({ lineage, ...lastOf(lineage) }))
    .filter((task) => isWanted(tables, task, query))
    .sort((left, right) => order(placeOf(right), placeOf(left)));
  const { after, limit } = query;
  const behind = after ? found.filter((task) => order(placeOf(task), after) < 0) : found;
  const tasks = behind.slice(0, limit).map((task) => shown(taskOf(tables, task), query));
  return { tasks, total: query.count ? found.length : null };
}

/** The marks of kwargs, each read once: a store keeps the objects that it was given. */
export function markReader(kwargs: (runId: string) => unknown): (runId: string) => RunMark | null {
  const known = new WeakMap<object, RunMark | null>();
  return (runId) => {
    const stored = kwargs(runId);
    if (typeof stored !== "object" || stored === null) return null;
    const earlier = known.get(stored);
    if (earlier !== undefined) return earlier;
    const mark = readMark(stored);
    known.set(stored, mark);
    return mark;
  };
}

/** A task before anything of it is shown: the last run of its lineage. */
interface FoundTask extends MarkedRun {
  lineage: readonly MarkedRun[];
}

function lastOf(lineage: Lineage): MarkedRun {
  return lineage.at(-1) ?? lineage[0];
}

function hasMovedOn({ runs }: MemoryTables, { id, run }: MarkedRun): boolean {
  return (
    run.status === "interrupted" && isFollowed(runs, id, (later) => later.status !== "pending")
  );
}

function taskOf(tables: MemoryTables, task: FoundTask): StoredTask {
  const { id, run, mark, lineage } = task;
  const texts = tables.resultOf(id);
  return {
    run: id,
    thread: run.thread_id ?? "",
    status: run.status,
    error: readErrorText(run.error),
    at: new Date(run.updated_at ?? 0).toISOString(),
    task: mark.root,
    turn: mark.turn,
    messages: lineage.map((turn) => turn.mark.message),
    context: mark.context ?? null,
    movedOn: hasMovedOn(tables, task),
    values: texts?.values ?? null,
    interrupts: texts?.interrupts ?? null,
    reply: texts?.reply ?? null,
    checkpoint: texts?.checkpoint ?? null,
  };
}

function isWanted(tables: MemoryTables, task: FoundTask, query: TaskQuery): boolean {
  const { state, since, metadata } = query;
  const { id, run, mark } = task;
  if (query.task !== undefined && mark.root !== query.task) return false;
  if (query.thread !== undefined && run.thread_id !== query.thread) return false;
  if (since !== undefined && timeOf(run) < Date.parse(millisecondFrom(since))) return false;
  if (metadata && !contains(run.metadata, metadata)) return false;
  if (state === undefined) return true;
  const texts = run.status === "interrupted" ? tables.resultOf(id) : null;
  const pause = texts ? pauseOfTexts(texts) : "none";
  return stateOf(run.status, pause, hasMovedOn(tables, task)) === state;
}

function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([key, part]) => Object.hasOwn(value, key) && contains(Reflect.get(value, key), part),
  );
}

const timeOf = (run: MemoryRun): number => Date.parse(run.updated_at ?? "");

const placeOf = ({ id, run }: MarkedRun): TaskPlace => ({ at: run.updated_at ?? "", run: id });

function order(left: TaskPlace, right: TaskPlace): number {
  const byTime = Date.parse(left.at) - Date.parse(right.at);
  if (byTime !== 0) return byTime;
  return left.run === right.run ? 0 : left.run < right.run ? -1 : 1;
}

/** Without what its status does not show. */
function shown(task: StoredTask, { answers }: TaskQuery): StoredTask {
  const isAnswer = answers && task.status === "success";
  const isPause = task.status === "interrupted";
  return {
    ...task,
    values: isAnswer && task.reply === null ? task.values : null,
    reply: isAnswer ? task.reply : null,
    interrupts: isPause ? task.interrupts : null,
    checkpoint: isPause ? task.checkpoint : null,
  };
}
