// A list of tasks is in one order, the newest status first, and is paged by places in it (A2A 3.1.4).

import type { TaskQuery } from "../../tasks/query.js";
import type { CaseList } from "../case.js";
import { aMoment, newId, type Trial } from "../trial.js";
import { newPause, newTurn, taskIds } from "../trial-tasks.js";
import { demand, demandSame } from "../violation.js";

export const taskOrder: CaseList = {
  "the task whose status is the newest comes first": async (trial) => {
    const { threadId, runId: one } = await newTurn(trial);
    const { runId: two } = await newTurn(trial, { threadId });
    const { runId: three } = await newTurn(trial, { threadId });
    for (const runId of [two, three, one]) {
      await aMoment();
      await trial.setStatus(runId, "success");
    }
    await trial.step();

    demandSame(
      await taskIds(trial, { thread: threadId }),
      [one, three, two],
      "The tasks in the order in which they took their status, from the newest on",
    );
  },

  "tasks of one instant come in the order of their runs' ids, from the last on": async (trial) => {
    const { threadId, runIds } = await passedAtOnce(trial);
    await trial.step();

    const { tasks } = await trial.tasks({ thread: threadId, state: "canceled" });
    demandSame(
      tasks.map(({ task }) => task),
      runIds,
      "Tasks of one instant",
    );
    demandSame(new Set(tasks.map(({ at }) => at)).size, 1, "The number of instants");
  },

  "a page leads on behind any task, those of one instant included": async (trial) => {
    const { threadId, runIds } = await passedAtOnce(trial);
    await trial.step();
    const query: Partial<TaskQuery> = { thread: threadId, state: "canceled" };
    const { tasks } = await trial.tasks(query);

    for (const [place, { at, run }] of tasks.entries()) {
      const page = await trial.tasks({ ...query, after: { at, run }, limit: 2 });
      demandSame(
        page.tasks.map(({ task }) => task),
        runIds.slice(place + 1, place + 3),
        `The two tasks behind number ${place + 1} of ${tasks.length}`,
      );
    }
  },

  "pages neither skip nor repeat a task that stays as it is while others change": async (trial) => {
    const { threadId, runId } = await newTurn(trial, { status: "success" });
    const all = [runId];
    for (let index = 1; index < TASKS; index += 1) {
      all.push((await newTurn(trial, { threadId, status: "success" })).runId);
      if (index % 4 === 0) await aMoment();
    }
    await trial.step();
    const order = await taskIds(trial, { thread: threadId });
    demandSame([...order].sort(), [...all].sort(), "All tasks of a thread");
    const [touched, moved, gone] = [order[1], order[TASKS - 2], order[TASKS - 4]];

    const seen: string[] = [];
    let after: TaskQuery["after"];
    for (let pages = 0; pages < TASKS; pages += 1) {
      const query = { thread: threadId, limit: 3, ...(after ? { after } : {}) };
      const { tasks } = await trial.tasks(query);
      const last = tasks.at(-1);
      if (!last) break;
      seen.push(...tasks.map(({ task }) => task));
      after = { at: last.at, run: last.run };
      if (pages > 0) continue;
      await aMoment();
      await newTurn(trial, { threadId });
      await trial.setStatus(touched ?? "", "error");
      await trial.setStatus(moved ?? "", "error");
      await trial.deleteRun(gone ?? "");
      await trial.step();
    }

    const stayed = order.filter((task) => task !== moved && task !== gone);
    demandSame(seen, stayed, "The tasks on the pages of a list during which others change");
  },

  "a page has no more tasks than were asked for, and the total is that of all pages": async (
    trial,
  ) => {
    const { threadId } = await newTurn(trial, { status: "success" });
    for (let index = 1; index < TASKS; index += 1) {
      const status = index % 3 === 0 ? "error" : "success";
      await newTurn(trial, { threadId, status });
    }
    const { runId: task } = await newTurn(trial, { threadId, status: "interrupted" });
    await newTurn(trial, { task, threadId, status: "success" });
    await trial.newRun({ threadId, status: "success" });
    await trial.step();

    const counted: Partial<TaskQuery> = { thread: threadId, limit: 2, count: true };
    const first = await trial.tasks(counted);
    demandSame([first.tasks.length, first.total], [2, TASKS + 1], "A page and the total");
    const { at = "", run = "" } = first.tasks.at(-1) ?? {};
    const next = await trial.tasks({ ...counted, after: { at, run } });
    demandSame([next.tasks.length, next.total], [2, TASKS + 1], "The next page and the total");
    const failed = await trial.tasks({ ...counted, state: "failed" });
    demandSame([failed.tasks.length, failed.total], [2, FAILED], "A page of failed tasks");
    const none = await trial.tasks({ ...counted, thread: newId("thread") });
    demandSame([none.tasks, none.total], [[], 0], "A page and the total of no tasks");
    demandSame((await trial.tasks({ ...counted, count: false })).total, null, "An unasked total");
  },
};

const TASKS = 12;
const FAILED = 3;

/** Ends of ids that databases order by collations of their own, in the order of their bytes. */
const ENDS = ["~", "z", "b", "a", "_", "Z", "B", "A", "9", "-"];

/** Tasks that were cancelled by one write, at one time: their first runs in the order of a list. */
async function passedAtOnce(trial: Trial) {
  const threadId = await trial.newThread();
  const start = newId("run");
  const runIds = ENDS.map((end) => `${start}${end}`);
  for (const runId of [...runIds].reverse()) await newPause(trial, { runId, threadId });
  const { runId: started } = await trial.newRun({ threadId, status: "running" });
  await trial.passOver(started);
  const ends = await Promise.all(runIds.map((runId) => trial.existingRow(runId)));
  demand(
    ends.every(({ status }) => status === "cancelled"),
    "A run that starts must pass over every paused task before it on its thread.",
  );
  return { threadId, runIds };
}
