// Faults of drivers that take other runs for a task than those of its lineage, or show it by another one.

import type { BrokenStores } from "../testing/broken-store.js";
import { withTaskRules } from "../testing/broken-tasks.js";
import { TASK_RULES, type PlainMark } from "../testing/plain-tasks.js";

const { isFirst, isMark, isOfLineage } = TASK_RULES;

const isText = (text: unknown): boolean => typeof (text ?? "") === "string";

export const brokenTasks: BrokenStores = {
  "finds no task": {
    driver: (own) => ({
      ...own,
      taskPage: ({ count }) => ({ tasks: [], total: count ? 0 : null }),
    }),
    caughtBy: [
      "a task of one run is found by the id of that run",
      "a task is found by its first run alone",
    ],
  },
  "leaves out the caller's name for the thread": {
    driver: (own) => ({
      ...own,
      taskPage: async (query) => {
        const { tasks, total } = await own.taskPage(query);
        return { tasks: tasks.map((task) => ({ ...task, context: null })), total };
      },
    }),
    caughtBy: "a task of one run is found by the id of that run",
  },
  "shows a task by its first run": {
    driver: withTaskRules({ compareTurns: (left, right) => right.mark.turn - left.mark.turn }),
    caughtBy:
      "a task of several runs is shown by the last of them, with the messages of all in order",
  },
  "orders a lineage by the creation of its runs": {
    driver: withTaskRules({ compareTurns: () => 0 }),
    caughtBy:
      "a task of several runs is shown by the last of them, with the messages of all in order",
  },
  "puts a run before those of its turn that are there already": {
    driver: withTaskRules({
      compareTurns: (left, right) => left.mark.turn - right.mark.turn || -1,
    }),
    caughtBy: "a task of two runs of one turn is shown by the one that was created last",
  },
  "reads the message of the last run alone": {
    driver: (own) => ({
      ...own,
      taskPage: async (query) => {
        const { tasks, total } = await own.taskPage(query);
        const last = tasks.map((task) => ({ ...task, messages: task.messages.slice(-1) }));
        return { tasks: last, total };
      },
    }),
    caughtBy:
      "a task of several runs is shown by the last of them, with the messages of all in order",
  },
  "finds a task by any of its runs": {
    driver: (own, rows) => ({
      ...own,
      taskPage: (query) => {
        const { kwargs = {} } = rows.get(query.task ?? "") ?? {};
        const root = (kwargs as { $skein_task?: PlainMark }).$skein_task?.root;
        return own.taskPage(root === undefined ? query : { ...query, task: root });
      },
    }),
    caughtBy: "a task is found by its first run alone",
  },
  "keeps a task whose first run is gone": {
    driver: (own, rows) =>
      withTaskRules({
        isFirst: (turn) => isFirst(turn) || !rows.has(turn.mark.root),
        isOfLineage: ({ mark }, first) => mark.root === first.mark.root,
      })(own, rows),
    caughtBy: "runs whose first run is gone are no task",
  },
  "takes the runs of other threads into a task": {
    driver: withTaskRules({ isOfLineage: ({ mark }, first) => mark.root === first.id }),
    caughtBy: "runs on another thread than their first one are no task, and add nothing to it",
  },
  "begins a task at any turn": {
    driver: withTaskRules({ isFirst: ({ id, mark }) => id === mark.root }),
    caughtBy: "a run that is the first by its id and not by its turn begins no task",
  },
  "takes a mark of any version": {
    driver: withTaskRules({ isMark: (mark) => isMark({ ...mark, v: 1 }) }),
    caughtBy: "a mark of another version, or of another shape, makes no task",
  },
  "takes a version that is only like its own": {
    driver: withTaskRules({ isMark: (mark) => mark.v == 1 && isMark({ ...mark, v: 1 }) }),
    caughtBy: "a mark of another version, or of another shape, makes no task",
  },
  "takes a mark whatever its message is": {
    driver: withTaskRules({
      isMark: (mark) => isMark({ ...mark, message: null }) || !isText(mark.message),
    }),
    caughtBy: "a mark of another version, or of another shape, makes no task",
  },
  "refuses a run whose input holds NUL": {
    host: ({ createRun }) => ({
      createRun: (rows, run) => {
        if (JSON.stringify(run.kwargs).includes("\\u0000")) throw new Error("unsupported escape");
        createRun(rows, run);
      },
    }),
    caughtBy:
      "no text and no depth of a run's input keeps it from being created, nor a task from being found",
  },
  "finds no task whose input holds half of a surrogate pair": {
    driver: (own, rows) =>
      withTaskRules({
        isOfLineage: (turn, first) =>
          isOfLineage(turn, first) && !JSON.stringify(turn.row.kwargs).includes("\\ud83d"),
      })(own, rows),
    caughtBy:
      "no text and no depth of a run's input keeps it from being created, nor a task from being found",
  },
};
