// A task that waits for input can be given up: by one conditional write, on the last run of its lineage
// (contract 12; A2A 3.1.5).

import { RUN_MARK_KEY } from "../../tasks/mark.js";
import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, newId, type Trial, type TrialRun } from "../trial.js";
import { demandStatus, newPause, newTurn, NO_PAUSES, pause, theTask } from "../trial-tasks.js";
import { demand, demandSame } from "../violation.js";

export const pausedCancellations: CaseList = {
  "a paused task is cancelled, with the time and with its result as it was": async (trial) => {
    const { interrupts: _interrupts, ...atBreakpoint } = pause("where");
    const { checkpoint: _checkpoint, ...asking } = pause("what");
    for (const result of [pause("both"), atBreakpoint, asking]) {
      const paused = await newPause(trial, { result });
      const before = await trial.row(paused.runId);
      await aMoment();
      const answer = await trial.cancelPaused(paused.runId);
      await trial.step();

      demandSame(answer, { status: "cancelled", won: true }, "The answer to a cancellation");
      await demandStatus(trial, paused, "cancelled", "a paused run that was cancelled");
      demandSame(await trial.get(paused.runId), result, "The result of a cancelled pause");
      demand(
        JSON.stringify(before) !== JSON.stringify(await trial.row(paused.runId)),
        "The row of a paused run that was cancelled must change.",
      );
    }
  },

  "the time of a task is that of its cancellation": async (trial) => {
    const { runId: task } = await newPause(trial);
    const before = await theTask(trial, task);
    await aMoment();
    await trial.cancelPaused(task);
    await trial.step();

    const after = await theTask(trial, task);
    demandSame(after.status, "cancelled", "The status of a task that was cancelled");
    demand(
      Date.parse(after.at) > Date.parse(before.at),
      "A paused task that is cancelled must take the time of its cancellation.",
    );
  },

  "the last run of a lineage is cancelled, and none before it": async (trial) => {
    const first = await newPause(trial);
    const { runId: task, threadId } = first;
    const last = await newPause(trial, { task, threadId });
    await demandKept(trial, first, "a run that another has continued");
    await trial.step();

    demandSame(
      await trial.cancelPaused(last.runId),
      { status: "cancelled", won: true },
      "The answer to a cancellation of a lineage's last run",
    );
    await demandStatus(trial, first, "interrupted", "the run before it");
    await demandKept(trial, first, "a run whose continuation was cancelled");
  },

  "a run that has been answered is not cancelled, even before its continuation starts": async (
    trial,
  ) => {
    const first = await newPause(trial);
    const { runId: task, threadId } = first;
    const next = await newTurn(trial, { task, threadId, status: "pending" });

    await demandKept(trial, first, "a run that a pending one continues");
    await demandKept(trial, next, "a run that has not started");
  },

  "a run that is not interrupted is not cancelled as a pause": async (trial) => {
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      if (status === "interrupted") continue;
      const run = await newTurn(trial, { status, result: pause("not now") });
      await demandKept(trial, run, `a run that is ${status}`);
    }
  },

  "a run that was displaced is not cancelled as a pause": async (trial) => {
    for (const result of NO_PAUSES) {
      const given = { status: "interrupted" as const, ...(result ? { result } : {}) };
      await demandKept(trial, await newTurn(trial, given), "a run that was displaced");
    }
  },

  "a run that is of no task is not cancelled as a pause": async (trial) => {
    const ordinary = await trial.newRun({ status: "interrupted" });
    await trial.record(ordinary.runId, fullResult("ordinary"));
    await demandKept(trial, ordinary, "a run without a mark");

    const runId = newId("run");
    const mark = { v: 2, root: runId, turn: 0, message: null };
    const kwargs = { [RUN_MARK_KEY]: mark };
    const other = await trial.newRun({ runId, status: "interrupted", kwargs });
    await trial.record(runId, fullResult("of another version"));
    await demandKept(trial, other, "a run with a mark of another version");

    const orphan = await newPause(trial, { task: newId("run") });
    await demandKept(trial, orphan, "a run whose first one is gone");
    const { runId: task } = await newTurn(trial);
    const elsewhere = await newPause(trial, { task });
    await demandKept(trial, elsewhere, "a run on another thread than its first one");
  },

  "the cancellation of a run that is not there is answered with null": async (trial) => {
    const gone = await newPause(trial);
    await trial.deleteRun(gone.runId);
    await trial.step();

    for (const runId of [gone.runId, newId("run"), "a\u0000b"]) {
      demandSame(await trial.cancelPaused(runId), null, "The answer for a run that is not there");
    }
    demandSame(await trial.row(gone.runId), null, "The row of a run that is not there");
  },

  "of many cancellations of a pause at the same time one wins": (trial) =>
    cancellationsRace(trial, trial),

  "of many cancellations of a pause over two connections one wins": async (trial) =>
    cancellationsRace(trial, await trial.beside()),
};

const WRITERS = 8;

async function cancellationsRace(trial: Trial, beside: Trial): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const { runId } = await newPause(trial);
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        (writer % 2 === 0 ? trial : beside).cancelPaused(runId),
      ),
    );

    demandSame(answers.filter((answer) => answer?.won).length, 1, "The number that won");
    for (const answer of answers) {
      demandSame(answer?.status, "cancelled", "The status that each of many is told");
    }
  }
}

/** It is told that it did not win, and the row stays as it is. */
async function demandKept(trial: Trial, { runId }: TrialRun, what: string): Promise<void> {
  const before = await trial.existingRow(runId);
  await aMoment();
  const answer = await trial.cancelPaused(runId);
  await trial.step();

  demandSame(answer, { status: before.status, won: false }, `The answer for ${what}`);
  demandSame(await trial.row(runId), before, `The row of ${what}`);
}
