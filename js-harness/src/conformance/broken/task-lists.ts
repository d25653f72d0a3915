// Faults of drivers that list other tasks than those that were asked for, in another order, or more of
// them than a page has.

import type { StoredTask, TaskQuery } from "skein-results";

import type { BrokenStores } from "../testing/broken-store.js";
import { withTaskRules } from "../testing/broken-tasks.js";
import { TASK_RULES, type TaskDriver } from "../testing/plain-tasks.js";

const { compareTasks, isInScope, isPause, shown } = TASK_RULES;

/** A list whose tasks are something else. */
const listing =
  (change: (task: StoredTask, query: TaskQuery) => StoredTask) =>
  (own: TaskDriver): TaskDriver["taskPage"] =>
  async (query) => {
    const { tasks, total } = await own.taskPage(query);
    return { tasks: tasks.map((task) => change(task, query)), total };
  };

/** A query that asks for something else. */
const asking =
  (change: (query: TaskQuery) => TaskQuery) =>
  (own: TaskDriver): TaskDriver["taskPage"] =>
  (query) =>
    own.taskPage(change(query));

const NOTHING = { values: null, interrupts: null, reply: null, checkpoint: null };

export const brokenTaskLists: BrokenStores = {
  // What is read of the results ------------------------------------------------------------------
  "reads answers that nobody asked for": {
    driver: withTaskRules({ shown: (task, query) => shown(task, { ...query, answers: true }) }),
    caughtBy: "the answer of a completed task is read only where answers are asked for",
  },
  "reads the values beside a reply": {
    driver: withTaskRules({
      shown: (task, query) => {
        const isAnswer = query.answers && task.status === "success";
        return { ...shown(task, query), values: isAnswer ? task.values : null };
      },
    }),
    caughtBy: "the values of a completed task are not read beside its reply",
  },
  "takes a reply of null for none": {
    driver: withTaskRules({
      shown: (task, query) => shown(task.reply === "null" ? { ...task, reply: null } : task, query),
    }),
    caughtBy: "the values of a completed task are not read beside its reply",
  },
  "reads questions only with answers": {
    driver: withTaskRules({
      shown: (task, query) => (query.answers ? shown(task, query) : { ...task, ...NOTHING }),
    }),
    caughtBy: "the questions of a paused task are read always, and its values never",
  },
  "reads the values of a paused task": {
    driver: withTaskRules({
      shown: (task, query) => (task.status === "interrupted" ? task : shown(task, query)),
    }),
    caughtBy: "the questions of a paused task are read always, and its values never",
  },
  "reads every result whatever the status": {
    driver: withTaskRules({ shown: (task) => task }),
    caughtBy: "nothing is read of a result that the status does not show",
  },
  "reads a result where there is none": {
    driver: withTaskRules({
      shown: (task, query) => ({ ...shown(task, query), values: task.values ?? "{}" }),
    }),
    caughtBy: "a task without a result is read with null",
  },
  "reads the result of the first run": {
    driver: (own, rows) => ({
      ...own,
      taskPage: listing((task, query) =>
        shown({ ...task, ...(rows.get(task.task)?.texts ?? NOTHING) }, query),
      )(own),
    }),
    caughtBy: "the result of a task is that of its last run",
  },
  "leaves out the error": {
    driver: (own) => ({ ...own, taskPage: listing((task) => ({ ...task, error: null }))(own) }),
    caughtBy: "the error of a failed task is read, and no other has one",
  },
  "says null where there is no error": {
    driver: (own) => ({
      ...own,
      taskPage: listing((task) => ({ ...task, error: task.error ?? "null" }))(own),
    }),
    caughtBy: "the error of a failed task is read, and no other has one",
  },

  // What is found --------------------------------------------------------------------------------
  "finds the tasks of every thread": {
    driver: (own) => ({
      ...own,
      taskPage: asking(({ thread: _thread, ...query }) => query)(own),
    }),
    caughtBy: "the tasks of a thread are found by it, and no others",
  },
  "finds the tasks of every scope": {
    driver: withTaskRules({ isInScope: () => true }),
    caughtBy: "tasks are found by the metadata that their runs contain, and by no others",
  },
  "compares a scope loosely": {
    driver: withTaskRules({
      isInScope: (metadata, scope) => isInScope(loose(metadata), loose(scope)),
    }),
    caughtBy: "tasks are found by the metadata that their runs contain, and by no others",
  },
  "compares only the leaves of a scope that hold something": {
    driver: withTaskRules({ isInScope: (metadata, scope) => isInScope(metadata, filled(scope)) }),
    caughtBy: "tasks are found by the metadata that their runs contain, and by no others",
  },
  "fails over a scope that it cannot hold": {
    driver: (own) => ({
      ...own,
      taskPage: (query) => {
        if (/\\u(0000|d83d)/.test(JSON.stringify(query))) throw new Error("unsupported escape");
        return own.taskPage(query);
      },
    }),
    caughtBy: "a scope that no metadata can hold finds nothing",
  },
  "takes a list as a scope": {
    runs: (own) => ({
      ...own,
      taskPage: async (query) =>
        JSON.stringify(query.metadata ?? {}).includes("[")
          ? { tasks: [], total: 0 }
          : own.taskPage(query),
    }),
    caughtBy: "a scope with a list in it is refused",
  },
  "finds the tasks of every state": {
    driver: (own) => ({
      ...own,
      taskPage: asking(({ state: _state, ...query }) => query)(own),
    }),
    caughtBy: "tasks are found by their state",
  },
  "takes every interrupted task for a paused one": {
    driver: withTaskRules({ isPause: () => true }),
    caughtBy: [
      "tasks are found by their state",
      "a run that was displaced is not cancelled as a pause",
      "a run that starts leaves alone what is not paused",
    ],
  },
  "takes only a task with questions for a paused one": {
    driver: withTaskRules({ isPause: (row) => isPause(row) && !!row.texts?.interrupts }),
    caughtBy: [
      "tasks are found by their state",
      "a paused task is cancelled, with the time and with its result as it was",
    ],
  },
  "lets nothing leave a paused task behind": {
    driver: withTaskRules({ movesOn: () => false }),
    caughtBy:
      "a paused task that a later run has left behind is canceled, and one that waits behind it is not",
  },
  "lets a run that waits leave a paused task behind": {
    driver: withTaskRules({ movesOn: () => true }),
    caughtBy:
      "a paused task that a later run has left behind is canceled, and one that waits behind it is not",
  },
  "lets any run leave a paused task behind": {
    driver: (own, rows) => ({
      ...own,
      taskPage: listing((task) => ({
        ...task,
        movedOn: [...rows].some(([id, { status }]) => id !== task.run && status !== "pending"),
      }))(own),
    }),
    caughtBy: "a run of another thread leaves no paused task behind, and an earlier one neither",
  },
  "lets an earlier run leave a paused task behind": {
    driver: (own, rows) => ({
      ...own,
      taskPage: listing((task) => ({
        ...task,
        movedOn: [...rows].some(([id, row]) => id !== task.run && row.threadId === task.thread),
      }))(own),
    }),
    caughtBy: "a run of another thread leaves no paused task behind, and an earlier one neither",
  },
  "finds only what comes after a time": {
    driver: withTaskRules({ isSince: (at, since) => Date.parse(at) > Date.parse(since) }),
    caughtBy: "tasks are found by the time of their status, that very moment included",
  },
  "compares times as texts": {
    driver: withTaskRules({ isSince: (at, since) => at >= since }),
    caughtBy: "tasks are found by the time of their status, that very moment included",
  },
  "cuts a time to milliseconds": {
    driver: withTaskRules({ isSince: (at, since) => Date.parse(at) >= Date.parse(since) }),
    caughtBy: "tasks are found by the time of their status, that very moment included",
  },

  // In which order, and how many -----------------------------------------------------------------
  "lists the oldest first": {
    driver: withTaskRules({ compareTasks: (left, right) => compareTasks(right, left) }),
    caughtBy: "the task whose status is the newest comes first",
  },
  "lists tasks in the order of their creation": {
    driver: withTaskRules({ compareTasks: () => 0 }),
    caughtBy: "the task whose status is the newest comes first",
  },
  "leaves tasks of one instant in any order": {
    driver: withTaskRules({
      compareTasks: (left, right) => Date.parse(right.at) - Date.parse(left.at),
    }),
    caughtBy: "tasks of one instant come in the order of their runs' ids, from the last on",
  },
  "orders ids as a language does": {
    driver: withTaskRules({
      compareTasks: (left, right) =>
        Date.parse(right.at) - Date.parse(left.at) || right.run.localeCompare(left.run, "en"),
    }),
    caughtBy: "tasks of one instant come in the order of their runs' ids, from the last on",
  },
  "leads on behind the time of a task": {
    driver: withTaskRules({ isBehind: (task, after) => task.at < after.at }),
    caughtBy: "a page leads on behind any task, those of one instant included",
  },
  "leads on with the task itself": {
    driver: withTaskRules({ isBehind: (task, after) => compareTasks(task, after) >= 0 }),
    caughtBy: "a page leads on behind any task, those of one instant included",
  },
  "pages by a number of tasks": {
    driver: (own) => {
      let shownBefore = 0;
      return {
        ...own,
        taskPage: async ({ after, limit, ...query }) => {
          const { tasks, total } = await own.taskPage({ ...query, limit: 1_000 });
          const start = after ? shownBefore : 0;
          shownBefore = start + limit;
          return { tasks: tasks.slice(start, start + limit), total };
        },
      };
    },
    caughtBy: "pages neither skip nor repeat a task that stays as it is while others change",
  },
  "shows more tasks than a page has": {
    driver: (own) => ({
      ...own,
      taskPage: asking((query) => ({ ...query, limit: query.limit + 1 }))(own),
    }),
    caughtBy: "a page has no more tasks than were asked for, and the total is that of all pages",
  },
  "counts the tasks of a page": {
    driver: (own) => ({
      ...own,
      taskPage: async (query) => {
        const { tasks } = await own.taskPage(query);
        return { tasks, total: query.count ? tasks.length : null };
      },
    }),
    caughtBy: "a page has no more tasks than were asked for, and the total is that of all pages",
  },
  "counts what is left behind a page": {
    driver: (own) => ({
      ...own,
      taskPage: async (query) => {
        const page = await own.taskPage(query);
        const { tasks } = await own.taskPage({ ...query, limit: 1_000 });
        return { ...page, total: query.count ? tasks.length : null };
      },
    }),
    caughtBy: "a page has no more tasks than were asked for, and the total is that of all pages",
  },
  "counts the runs of tasks": {
    driver: (own, rows) => ({
      ...own,
      taskPage: async (query) => {
        const page = await own.taskPage(query);
        const runs = [...rows.values()].filter(({ threadId }) => threadId === query.thread);
        return { ...page, total: query.count ? runs.length : null };
      },
    }),
    caughtBy: "a page has no more tasks than were asked for, and the total is that of all pages",
  },
  "counts where nobody asked for it": {
    driver: (own) => ({
      ...own,
      taskPage: asking((query) => ({ ...query, count: true }))(own),
    }),
    caughtBy: "a page has no more tasks than were asked for, and the total is that of all pages",
  },
};

/** As a database does that compares all leaves as texts. */
function loose(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return String(Number(value) || value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, loose(member)]));
}

/** Without what is null or empty. */
function filled(scope: unknown): unknown {
  if (typeof scope !== "object" || scope === null) return scope;
  const members = Object.entries(scope).map(([key, member]) => [key, filled(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
