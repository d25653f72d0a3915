import type { ResultTexts } from "./driver.js";
import type { MemoryRun } from "./memory.js";
import { errorText } from "./run-error.js";
import { readMark, type RunMark } from "./mark.js";
import type { StoredTask, StoredTaskPage, TaskPlace, TaskQuery } from "./task-query.js";
import { pauseOfTexts, stateOf } from "./task.js";

/** What the tasks of a memory host are read from. */
export interface MemoryTables {
  readonly runs: ReadonlyMap<string, MemoryRun>;
  /** The kwargs of a run, in which the server's mark stands. */
  readonly kwargs: (runId: string) => unknown;
  readonly resultOf: (runId: string) => ResultTexts | null;
}

interface MarkedRun {
  id: string;
  run: MemoryRun;
  mark: RunMark;
}

/** The runs of each task that is one: whose first run is there, on the same thread. */
function lineages({ runs, kwargs }: MemoryTables, thread?: string): Map<string, MarkedRun[]> {
  const byTask = new Map<string, MarkedRun[]>();
  for (const [id, run] of runs) {
    if (thread !== undefined && run.thread_id !== thread) continue;
    const mark = readMark(kwargs(id));
    if (!mark) continue;
    const lineage = byTask.get(mark.root) ?? [];
    lineage.push({ id, run, mark });
    byTask.set(mark.root, lineage);
  }
  for (const [task, lineage] of byTask) {
    const first = lineage.find(({ id }) => id === task);
    const own = lineage.filter(({ run }) => run.thread_id === first?.run.thread_id);
    own.sort((left, right) => left.mark.turn - right.mark.turn);
    if (first) byTask.set(task, own);
    else byTask.delete(task);
  }
  return byTask;
}

/** The lineage of a run that is the last of it; undefined for another one, and for an ordinary run. */
export function lineageEndingIn(tables: MemoryTables, runId: string): MarkedRun[] | undefined {
  const mark = readMark(tables.kwargs(runId));
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
    .map((lineage) => taskOf(tables, lineage))
    .filter((task) => task !== null)
    .filter((task) => isWanted(tables, task, query))
    .sort((left, right) => order(placeOf(right), placeOf(left)));
  const { after, limit } = query;
  const behind = after ? found.filter((task) => order(placeOf(task), after) < 0) : found;
  const tasks = behind.slice(0, limit).map((task) => shown(task, query));
  return { tasks, total: query.count ? found.length : null };
}

function taskOf(tables: MemoryTables, lineage: readonly MarkedRun[]): StoredTask | null {
  const last = lineage.at(-1);
  if (!last) return null;
  const { id, run, mark } = last;
  const texts = tables.resultOf(id);
  return {
    run: id,
    thread: run.thread_id ?? "",
    status: run.status,
    error: errorText(run.error),
    at: new Date(run.updated_at ?? 0).toISOString(),
    task: mark.root,
    turn: mark.turn,
    messages: lineage.map((turn) => turn.mark.message),
    context: mark.context ?? null,
    movedOn:
      run.status === "interrupted" &&
      isFollowed(tables.runs, id, (later) => later.status !== "pending"),
    values: texts?.values ?? null,
    interrupts: texts?.interrupts ?? null,
    reply: texts?.reply ?? null,
    checkpoint: texts?.checkpoint ?? null,
  };
}

function isWanted(tables: MemoryTables, task: StoredTask, query: TaskQuery): boolean {
  const { state, since, metadata } = query;
  if (query.task !== undefined && task.task !== query.task) return false;
  if (query.thread !== undefined && task.thread !== query.thread) return false;
  if (since !== undefined && Date.parse(task.at) < Date.parse(since)) return false;
  if (metadata && !contains(tables.runs.get(task.run)?.metadata, metadata)) return false;
  if (state === undefined) return true;
  return stateOf(task.status, pauseOfTexts(task), task.movedOn) === state;
}

function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(wanted).every(
    ([key, part]) => Object.hasOwn(value, key) && contains(Reflect.get(value, key), part),
  );
}

const placeOf = ({ at, run }: StoredTask): TaskPlace => ({ at, run });

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
