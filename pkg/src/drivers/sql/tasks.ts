import { readMark } from "../../tasks/mark.js";
import type { StoredTask, StoredTaskPage, TaskQuery } from "../../tasks/query.js";
import { namesOf, type RunTableOptions } from "./run-table.js";
import type { Statement, TaskStatements } from "../../wasm/glue.js";
import { ask } from "../../wasm/instance.js";

/** The statements of a list, and how the rows of its page become tasks. */
export interface TaskListStatements {
  page: Statement;
  count: Statement;
  /** Whether the page is the lineage of one task. */
  isLineage: boolean;
  tasksOf: (rows: readonly unknown[]) => StoredTask[];
}

/** Asked for one task and nothing else, the runs of its lineage say it all. */
const ONE_TASK: readonly string[] = ["task", "metadata"];

/** The statements about tasks for a host's table; those of a list are written once for each filter. */
export class TaskSql {
  readonly #dialect: "sqlite" | "postgres";
  readonly #options: RunTableOptions;
  readonly #lists = new Map<string, TaskListStatements>();
  #statements: TaskStatements | undefined;

  constructor(dialect: "sqlite" | "postgres", options: RunTableOptions) {
    this.#dialect = dialect;
    this.#options = options;
  }

  get statements(): TaskStatements {
    const names = namesOf(this.#options);
    return (this.#statements ??= ask((rules) => rules.taskStatements(this.#dialect, names)));
  }

  list({ state, answers, ...query }: TaskQuery): TaskListStatements {
    const given = (["task", "thread", "metadata", "since", "after"] as const).filter(
      (name) => query[name] !== undefined,
    );
    const key = [state ?? "", answers, ...given].join(" ");
    const known = this.#lists.get(key);
    if (known) return known;
    const filter = { given, state, answers };
    const names = namesOf(this.#options);
    const { page, count, lineage } = ask((rules) => rules.taskQuery(this.#dialect, names, filter));
    const isOneTask = given.includes("task") && given.every((name) => ONE_TASK.includes(name));
    const list: TaskListStatements =
      isOneTask && state === undefined
        ? { page: lineage, count, isLineage: true, tasksOf: taskOfLineage }
        : { page, count, isLineage: false, tasksOf: tasksOfPage };
    this.#lists.set(key, list);
    return list;
  }
}

/** The values of a query's parameters, by name. */
export function taskParameters(query: TaskQuery): Record<string, string | number | null> {
  return {
    task: query.task ?? null,
    thread: query.thread ?? null,
    metadata: query.metadata === undefined ? null : JSON.stringify(query.metadata),
    since: query.since ?? null,
    afterAt: query.after?.at ?? null,
    afterRun: query.after?.run ?? null,
    limit: query.limit,
  };
}

/** The page of the tasks that a list's statements answered with. */
export function taskPageOf(tasks: StoredTask[], counted: unknown): StoredTaskPage {
  if (typeof counted !== "object" || counted === null) return { tasks, total: null };
  return { tasks, total: Number((counted as { total: number | string }).total) };
}

/** A row of a run that shows a task. */
type TaskRow = Omit<StoredTask, "messages" | "context" | "movedOn" | "turn"> & {
  kwargs: string;
  // Numbers, which a host may have its driver leave as texts.
  turn: number | string;
  movedOn: number | string;
};

/** A run of a task's lineage. */
interface LineageRow extends TaskRow {
  inScope: number | string;
  place: string;
}

/** In a page the kwargs are those of the whole lineage, in order. */
function tasksOfPage(rows: readonly unknown[]): StoredTask[] {
  return (rows as TaskRow[]).map((row) => storedTask(row, JSON.parse(row.kwargs) as string[]));
}

/** The runs of a lineage, of which those on the thread of the first are the task, shown by the last. */
function taskOfLineage(rows: readonly unknown[]): StoredTask[] {
  const lineage = rows as LineageRow[];
  const first = lineage.find(({ run, task, turn }) => run === task && Number(turn) === 0);
  const own = lineage
    .filter(({ thread }) => thread === first?.thread)
    .sort((a, b) => Number(a.turn) - Number(b.turn) || comparePlaces(a.place, b.place));
  const last = own.at(-1);
  if (!last || Number(last.inScope) !== 1) return [];
  const { inScope: _inScope, place: _place, ...row } = last;
  return [
    storedTask(
      row,
      own.map(({ kwargs }) => kwargs),
    ),
  ];
}

/** Numbers may have more digits than a double; anything else grows as its text does. */
function comparePlaces(left: string, right: string): number {
  const areNumbers = [left, right].every((place) => /^-?\d+$/.test(place));
  const [a, b] = areNumbers ? [BigInt(left), BigInt(right)] : [left, right];
  return a < b ? -1 : Number(a > b);
}

function storedTask(
  { kwargs: _kwargs, turn, movedOn, ...task }: TaskRow,
  lineage: readonly string[],
): StoredTask {
  const marks = lineage.map((text) => readMark(JSON.parse(text)));
  return {
    ...task,
    messages: marks.map((mark) => mark?.message ?? null),
    context: marks.at(-1)?.context ?? null,
    turn: Number(turn),
    movedOn: Number(movedOn) === 1,
  };
}
