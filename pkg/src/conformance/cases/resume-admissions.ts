// An answer to a paused run is admitted once: the check of the thread and the insert are one step
// (contract 12).

import type { CaseList } from "../case.js";
import { newId, type Trial, type TrialRun } from "../trial.js";
import { newPause, taskIds } from "../trial-tasks.js";
import { demand, demandSame, violated } from "../violation.js";
import { TERMINAL_STATUSES } from "../statuses.js";

export const resumeAdmissions: CaseList = {
  "a paused run that is the last of its thread admits the run that resumes it": async (trial) => {
    const { threadId } = await trial.newRun({ status: "success" });
    await trial.newRun({ status: "running" });
    const paused = await trial.newRun({ threadId, status: "interrupted" });
    const runId = newId("run");
    const isAdmitted = await trial.createResume({ runId, threadId }, paused.runId);
    await trial.step();

    demandSame(isAdmitted, true, "The answer to the first that resumes a paused run");
    demandSame((await trial.existingRow(runId)).status, "pending", "The run that resumes another");
    demandSame(
      (await trial.existingRow(paused.runId)).status,
      "interrupted",
      "The run that is resumed",
    );
  },

  "of many answers to a paused run at the same time one is admitted": (trial) =>
    answersRace(trial, trial),

  "of many answers to a paused run over two connections one is admitted": async (trial) =>
    answersRace(trial, await trial.beside()),

  "an answer is refused once any other run has come after the paused one": async (trial) => {
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      const paused = await trial.newRun({ status: "interrupted" });
      await trial.newRun({ threadId: paused.threadId, status });
      await demandRefused(trial, paused, `a paused run before one that is ${status}`);
    }
  },

  "an answer is refused while a run of the thread is in flight": async (trial) => {
    for (const status of ["pending", "running"] as const) {
      const { threadId } = await trial.newRun({ status });
      const paused = await trial.newRun({ threadId, status: "interrupted" });
      await demandRefused(trial, paused, `a paused run beside one that is ${status}`);
    }
  },

  "an answer is refused to a run that is not interrupted, and to one that is not there": async (
    trial,
  ) => {
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      if (status === "interrupted") continue;
      await demandRefused(trial, await trial.newRun({ status }), `a run that is ${status}`);
    }
    const gone = await trial.newRun({ status: "interrupted" });
    await trial.deleteRun(gone.runId);
    await demandRefused(trial, gone, "a run that is gone");
    const threadId = await trial.newThread();
    await demandRefused(trial, { runId: newId("run"), threadId }, "a run that never was");
  },

  "a run that is not admitted is not created": async (trial) => {
    const paused = await trial.newRun({ status: "success" });
    let calls = 0;
    const isAdmitted = await trial.admitResume(paused.runId, () => {
      calls += 1;
    });

    demandSame([isAdmitted, calls], [false, 0], "The answer, and how often `create` was called");
  },

  "what `create` throws is thrown on, and the next answer is admitted": async (trial) => {
    const paused = await newPause(trial);
    const { threadId, runId: pausedId } = paused;
    const before = await trial.row(pausedId);
    const own = new Error("The suite's own.");
    await demandThrown(trial, pausedId, own, () => {
      throw own;
    });
    await trial.step();

    demandSame(await trial.row(pausedId), before, "The row of a run whose answer failed");
    demandSame(await taskIds(trial, { thread: threadId }), [pausedId], "The tasks of the thread");
    const isAdmitted = await trial.createResume({ threadId }, pausedId);
    demandSame(isAdmitted, true, "The answer after one that failed");
  },

  "a run that was inserted before `create` threw is not there": async (trial) => {
    trial.requireCreateIn();
    const { threadId, runId: pausedId } = await trial.newRun({ status: "interrupted" });
    const runId = newId("run");
    const own = new Error("The suite's own.");
    const fail = (): never => {
      throw own;
    };
    await demandThrown(trial, pausedId, own, (transaction) => {
      const created = trial.createIn(transaction, { runId, threadId });
      return created instanceof Promise ? created.then(fail) : fail();
    });
    await trial.step();

    demandSame(await trial.row(runId), null, "A run that was inserted before `create` threw");
    const isAdmitted = await trial.createResume({ runId, threadId }, pausedId);
    demandSame(isAdmitted, true, "The answer after one that failed");
  },
};

const ANSWERS = 10;

async function answersRace(trial: Trial, beside: Trial): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const { runId: pausedId, threadId } = await newPause(trial);
    const runIds = Array.from({ length: ANSWERS }, () => newId("run"));
    const admitted = await Promise.all(
      runIds.map((runId, writer) =>
        (writer % 2 === 0 ? trial : beside).createResume({ runId, threadId }, pausedId),
      ),
    );

    demandSame(admitted.filter(Boolean).length, 1, `Of ${ANSWERS} answers those admitted`);
    for (const [writer, runId] of runIds.entries()) {
      demandSame(
        (await trial.row(runId)) !== null,
        admitted[writer],
        "Whether a run is there, and whether it was admitted",
      );
    }
  }
}

async function demandRefused(trial: Trial, paused: TrialRun, what: string): Promise<void> {
  const before = await trial.row(paused.runId);
  const runId = newId("run");
  const isAdmitted = await trial.createResume({ runId, threadId: paused.threadId }, paused.runId);
  await trial.step();

  demandSame(isAdmitted, false, `The answer to one that resumes ${what}`);
  demandSame(await trial.row(runId), null, `A run that resumes ${what}`);
  demandSame(await trial.row(paused.runId), before, `The row of ${what}`);
}

async function demandThrown(
  trial: Trial,
  pausedId: string,
  own: Error,
  create: (transaction?: unknown) => unknown,
): Promise<void> {
  const answer = trial.admitResume(pausedId, create);
  let thrown: unknown;
  try {
    await answer;
  } catch (error) {
    thrown = error;
  }
  demand(thrown !== undefined, "What `create` throws must be thrown on, and the call resolves.");
  if (thrown !== own) violated("What is thrown on must be what `create` threw.", thrown);
}
