import { readMark } from "./mark.js";
import type { StoredTask, StoredTaskPage, TaskQuery } from "./task-query.js";
import { namesOf, type RunTableOptions } from "./run-table.js";
import type { Statement, TaskStatements } from "./wasm/glue.js";
import { ask } from "./wasm/instance.js";

/** The statements of a list, by their filter. */
export interface TaskListStatements {
  page: Statement;
  count: Statement;
}

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
    const written = ask((rules) => rules.taskQuery(this.#dialect, names, filter));
    this.#lists.set(key, written);
    return written;
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

/** The page of the rows that a list's statements answered with. */
export function taskPageOf(rows: readonly unknown[], counted: unknown): StoredTaskPage {
  const tasks = rows.map((row) => storedTask(row as TaskRow));
  if (typeof counted !== "object" || counted === null) return { tasks, total: null };
  return { tasks, total: Number((counted as { total: number | string }).total) };
}

/** A row of a list: the kwargs are those of the whole lineage, in order. */
type TaskRow = Omit<StoredTask, "messages" | "context" | "movedOn" | "turn"> & {
  kwargs: string;
  // Numbers, which a host may have its driver leave as texts.
  turn: number | string;
  movedOn: number | string;
};

function storedTask({ kwargs, turn, movedOn, ...task }: TaskRow): StoredTask {
  const lineage = (JSON.parse(kwargs) as string[]).map((text) => readMark(JSON.parse(text)));
  return {
    ...task,
    messages: lineage.map((mark) => mark?.message ?? null),
    context: lineage.at(-1)?.context ?? null,
    turn: Number(turn),
    movedOn: Number(movedOn) === 1,
  };
}
