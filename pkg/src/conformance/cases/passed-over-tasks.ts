// A run that starts on a thread leaves the paused tasks before it behind, for good (A2A 3.1.1).

import { RUN_MARK_KEY } from "../../tasks/mark.js";
import type { CaseList } from "../case.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, newId, type Trial, type TrialRun } from "../trial.js";
import { demandStatus, newPause, newTurn, NO_PAUSES, pause, theTask } from "../trial-tasks.js";
import { demand, demandSame } from "../violation.js";

export const passedOverTasks: CaseList = {
  "a run that starts cancels every paused task before it on its thread, with the time": async (
    trial,
  ) => {
    const { runId: one, threadId } = await newPause(trial);
    const { runId: two } = await newPause(trial, { threadId });
    const last = await newPause(trial, { threadId, task: two });
    const before = await theTask(trial, one);
    const started = await newTurn(trial, { threadId, status: "running" });
    await aMoment();
    await trial.passOver(started.runId);
    await trial.step();

    await demandStatus(trial, { runId: one, threadId }, "cancelled", "a task that is passed over");
    await demandStatus(trial, last, "cancelled", "the last run of one");
    await demandStatus(trial, started, "running", "the run that has started");
    demandSame(await trial.get(one), pause("Ship it?"), "The result of a task passed over");
    demand(
      Date.parse((await theTask(trial, one)).at) > Date.parse(before.at),
      "A task that is passed over must take the time at which it was.",
    );
  },

  "an ordinary run passes over the paused tasks before it, too": async (trial) => {
    const paused = await newPause(trial);
    const { runId } = await trial.newRun({ threadId: paused.threadId, status: "running" });
    await trial.passOver(runId);
    await trial.step();

    await demandStatus(trial, paused, "cancelled", "a task that an ordinary run passes over");
  },

  "a run that continues a task does not pass over it": async (trial) => {
    const first = await newPause(trial);
    const { runId: task, threadId } = first;
    const second = await newPause(trial, { task, threadId });
    const other = await newPause(trial, { threadId });
    const next = await newTurn(trial, { task, threadId, turn: 2, status: "running" });
    await demandPasses(trial, next, [first, second], "its own lineage");

    await demandStatus(trial, other, "cancelled", "another task on its thread");
  },

  "a run that starts leaves alone what comes after it, and what is on another thread": async (
    trial,
  ) => {
    const { threadId } = await newTurn(trial, { status: "success" });
    const started = await trial.newRun({ threadId, status: "running" });
    const after = await newPause(trial, { threadId });
    const elsewhere = await newPause(trial);

    await demandPasses(trial, started, [after, elsewhere], "a task that is not before it");
  },

  "a run that starts leaves alone what is not paused": async (trial) => {
    const threadId = await trial.newThread();
    const kept: TrialRun[] = [];
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      if (status === "interrupted") continue;
      kept.push(await newTurn(trial, { threadId, status, result: pause("not now") }));
    }
    for (const result of NO_PAUSES) {
      const given = { status: "interrupted" as const, ...(result ? { result } : {}) };
      kept.push(await newTurn(trial, { threadId, ...given }));
    }
    const started = await newTurn(trial, { threadId, status: "running" });

    await demandPasses(trial, started, kept, "a run that is not paused");
  },

  "a run that starts leaves alone a pause that is of no task": async (trial) => {
    const threadId = await trial.newThread();
    const ordinary = await trial.newRun({ threadId, status: "interrupted" });
    const runId = newId("run");
    const mark = { v: 2, root: runId, turn: 0, message: null };
    const kwargs = { [RUN_MARK_KEY]: mark };
    const other = await trial.newRun({ runId, threadId, status: "interrupted", kwargs });
    for (const run of [ordinary, other]) await trial.record(run.runId, pause("whose?"));
    const orphan = await newPause(trial, { threadId, task: newId("run") });
    const started = await newTurn(trial, { threadId, status: "running" });

    await demandPasses(trial, started, [ordinary, other, orphan], "a pause of no task");
  },

  "a task that was passed over keeps its time when another run starts": async (trial) => {
    const paused = await newPause(trial);
    const { threadId } = paused;
    const first = await trial.newRun({ threadId, status: "running" });
    await trial.passOver(first.runId);
    await trial.setStatus(first.runId, "success");
    const second = await trial.newRun({ threadId, status: "running" });

    await demandPasses(trial, second, [paused], "a task that was passed over before");
    await demandPasses(trial, first, [paused], "a task that was passed over already");
  },

  "a run that is not there passes over nothing": async (trial) => {
    const paused = await newPause(trial);
    const gone = await trial.newRun({ threadId: paused.threadId, status: "running" });
    await trial.deleteRun(gone.runId);

    await demandPasses(trial, gone, [paused], "a task before a run that is gone");
    const unknown = { runId: newId("run"), threadId: paused.threadId };
    await demandPasses(trial, unknown, [paused], "a task before a run that never was");
  },
};

/** The run passes over and leaves the rows of these as they are. */
async function demandPasses(
  trial: Trial,
  started: TrialRun,
  kept: readonly TrialRun[],
  what: string,
): Promise<void> {
  const before = await Promise.all(kept.map(({ runId }) => trial.existingRow(runId)));
  await aMoment();
  await trial.passOver(started.runId);
  await trial.step();

  const after = await Promise.all(kept.map(({ runId }) => trial.existingRow(runId)));
  demandSame(after, before, `The rows of ${what} when a run starts`);
}
