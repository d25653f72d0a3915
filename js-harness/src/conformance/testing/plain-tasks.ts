// The primitives about tasks as somebody else would write them: rule by rule, so that a fault is one rule
// that is another.

import type {
  StatusOutcome,
  ResultDriver,
  StoredTask,
  StoredTaskPage,
  TaskQuery,
  TaskState,
} from "skein-results";

import type { PlainRow, PlainRows } from "./plain-driver.js";

/** The mark in a run's kwargs, as far as anybody has checked it. */
export interface PlainMark {
  v: number;
  root: string;
  turn: number;
  message?: string | null;
  context?: string | null;
}

/** A run that carries a mark. */
export interface PlainTurn {
  id: string;
  row: PlainRow;
  mark: PlainMark;
}

/** What makes a list of tasks and its parts, each to be replaced. */
export interface TaskRules {
  isMark: (mark: PlainMark) => boolean;
  /** Whether a run begins the task that its mark names. */
  isFirst: (turn: PlainTurn) => boolean;
  /** Whether a run belongs to the task of another. */
  isOfLineage: (turn: PlainTurn, first: PlainTurn) => boolean;
  /** Below 0 where the left one is before the right one in its lineage. */
  compareTurns: (left: PlainTurn, right: PlainTurn) => number;
  /** Whether a result can be resumed from. */
  isPause: (row: PlainRow) => boolean;
  /** Whether a later run of the thread leaves a pause behind. */
  movesOn: (later: PlainRow) => boolean;
  isInScope: (metadata: unknown, scope: unknown) => boolean;
  isSince: (at: string, since: string) => boolean;
  /** Below 0 where the left one comes first in a list. */
  compareTasks: (left: TaskPlace, right: TaskPlace) => number;
  /** Whether a task comes behind the place that a page leads on from. */
  isBehind: (task: TaskPlace, after: TaskPlace) => boolean;
  shown: (task: StoredTask, query: TaskQuery) => StoredTask;
}

type TaskPlace = NonNullable<TaskQuery["after"]>;

/** The primitives of a driver that are about tasks. */
export type TaskDriver = Required<
  Pick<ResultDriver, "taskPage" | "cancelPaused" | "passOver" | "admitResume">
>;

export const TASK_RULES: TaskRules = {
  isMark: ({ v, root, turn, message, context }) =>
    v === 1 &&
    typeof root === "string" &&
    root !== "" &&
    Number.isInteger(turn) &&
    turn >= 0 &&
    [message, context].every((text) => typeof (text ?? "") === "string"),
  isFirst: ({ id, mark }) => id === mark.root && mark.turn === 0,
  isOfLineage: ({ row, mark }, first) =>
    mark.root === first.id && row.threadId === first.row.threadId,
  compareTurns: (left, right) => left.mark.turn - right.mark.turn,
  isPause: ({ texts }) =>
    !["null", "{}"].includes(texts?.interrupts ?? "null") ||
    (texts?.checkpoint ?? "null") !== "null",
  movesOn: ({ status }) => status !== "pending",
  isInScope,
  isSince: (at, since) => {
    // Of less than a millisecond no clock of this store knows.
    const isAfter = /\.\d{3}\d*[1-9]/.test(since);
    return isAfter ? Date.parse(at) > Date.parse(since) : Date.parse(at) >= Date.parse(since);
  },
  compareTasks,
  isBehind: (task, after) => compareTasks(task, after) > 0,
  shown: (task, { answers }) => {
    const isAnswer = answers && task.status === "success";
    const isPaused = task.status === "interrupted";
    return {
      ...task,
      values: isAnswer && task.reply === null ? task.values : null,
      reply: isAnswer ? task.reply : null,
      interrupts: isPaused ? task.interrupts : null,
      checkpoint: isPaused ? task.checkpoint : null,
    };
  },
};

export function plainTasks(rows: PlainRows, changed: Partial<TaskRules> = {}): TaskDriver {
  const rules = { ...TASK_RULES, ...changed };
  const all = () => [...rows].map(([id, row]) => ({ id, row }));
  const turns = (): PlainTurn[] =>
    all().flatMap(({ id, row }) => {
      const mark = (row.kwargs as { $skein_task?: PlainMark | null }).$skein_task;
      return mark && rules.isMark(mark) ? [{ id, row, mark }] : [];
    });
  const lineages = (): PlainTurn[][] => {
    const marked = turns();
    return marked
      .filter(rules.isFirst)
      .map((first) =>
        marked.filter((turn) => rules.isOfLineage(turn, first)).sort(rules.compareTurns),
      );
  };
  const following = (runId: string): PlainRow[] => {
    const { threadId } = rows.get(runId) ?? {};
    const ids = all();
    return ids
      .slice(ids.findIndex(({ id }) => id === runId) + 1)
      .flatMap(({ row }) => (row.threadId === threadId ? [row] : []));
  };
  const hasMovedOn = (id: string, { status }: PlainRow): boolean =>
    status === "interrupted" && following(id).some(rules.movesOn);
  const stateOf = (id: string, row: PlainRow): TaskState => {
    if (row.status !== "interrupted") return STATES[row.status];
    return rules.isPause(row) && !hasMovedOn(id, row) ? "input-required" : "canceled";
  };

  const page = (query: TaskQuery): StoredTaskPage => {
    const { task, thread, metadata, state, since, after, limit, count } = query;
    const found = lineages().flatMap((lineage): StoredTask[] => {
      const last = lineage.at(-1);
      if (!last) return [];
      const { id, row, mark } = last;
      if (task !== undefined && mark.root !== task) return [];
      if (thread !== undefined && row.threadId !== thread) return [];
      if (metadata && !rules.isInScope(row.metadata, metadata)) return [];
      if (state !== undefined && stateOf(id, row) !== state) return [];
      if (since !== undefined && !rules.isSince(row.updatedAt, since)) return [];
      return [
        {
          run: id,
          thread: row.threadId,
          status: row.status,
          error: row.error === undefined ? null : JSON.stringify(row.error),
          at: row.updatedAt,
          task: mark.root,
          turn: mark.turn,
          messages: lineage.map((turn) => turn.mark.message ?? null),
          context: mark.context ?? null,
          movedOn: hasMovedOn(id, row),
          ...(row.texts ?? { values: null, interrupts: null, reply: null, checkpoint: null }),
        },
      ];
    });
    const ordered = found.sort(rules.compareTasks);
    const behind = after ? ordered.filter((place) => rules.isBehind(place, after)) : ordered;
    const tasks = behind.slice(0, limit).map((stored) => rules.shown(stored, query));
    return { tasks, total: count ? found.length : null };
  };

  /** Cancels a run if it is the last of a lineage and paused. */
  const giveUp = (runId: string, at: string): boolean => {
    const row = rows.get(runId);
    const isLast = lineages().some((lineage) => lineage.at(-1)?.id === runId);
    if (row?.status !== "interrupted" || !rules.isPause(row) || !isLast) return false;
    const { error: _error, ...rest } = row;
    rows.set(runId, { ...rest, status: "cancelled", updatedAt: at });
    return true;
  };

  return {
    taskPage: page,
    cancelPaused: (runId, { at }): StatusOutcome | null => {
      const row = rows.get(runId);
      if (!row) return null;
      const won = giveUp(runId, at);
      return { status: won ? "cancelled" : row.status, won };
    },
    passOver: (runId, { at }) => {
      const started = rows.get(runId);
      if (!started) return;
      for (const { id, row } of all()) {
        if (id === runId) return;
        if (row.threadId === started.threadId) giveUp(id, at);
      }
    },
    admitResume: (runId, create) => {
      const paused = rows.get(runId);
      if (paused?.status !== "interrupted" || following(runId).length > 0) return false;
      const isBusy = ({ threadId, status }: PlainRow) =>
        threadId === paused.threadId && (status === "pending" || status === "running");
      if ([...rows.values()].some(isBusy)) return false;
      // Rows of its own until it is committed; `create` is over when it returns.
      const inside = new Map(rows);
      create(inside);
      for (const [id, row] of inside) if (!rows.has(id)) rows.set(id, row);
      return true;
    },
  };
}

const STATES: Readonly<Record<Exclude<PlainRow["status"], "interrupted">, TaskState>> = {
  pending: "submitted",
  running: "working",
  success: "completed",
  error: "failed",
  timeout: "failed",
  cancelled: "canceled",
};

/** The newest first; of one time by the ids downwards. */
function compareTasks(left: TaskPlace, right: TaskPlace): number {
  const byTime = Date.parse(right.at) - Date.parse(left.at);
  if (byTime !== 0) return byTime;
  return left.run === right.run ? 0 : left.run < right.run ? 1 : -1;
}

function isInScope(metadata: unknown, scope: unknown): boolean {
  if (!isObject(scope)) return metadata === scope;
  return (
    isObject(metadata) &&
    Object.entries(scope).every(
      ([key, wanted]) =>
        Object.hasOwn(metadata, key) && isInScope(Reflect.get(metadata, key), wanted),
    )
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
