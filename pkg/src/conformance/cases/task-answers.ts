// Of a task's result a list reads what its status shows, and answers only where they are asked for.

import type { RunResult, RunStatus } from "../../wasm/shapes.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import { newTurn, pause, theTask } from "../trial-tasks.js";
import { demandSame } from "../violation.js";

export const taskAnswers: CaseList = {
  "the answer of a completed task is read only where answers are asked for": async (trial) => {
    const { runId } = await newTurn(trial, { status: "success", result: bareResult("done") });
    await trial.step();

    const unread = await theTask(trial, runId);
    demandSame(unread.result, null, "What is read of an answer that nobody asked for");
    const read = await theTask(trial, runId, { answers: true });
    demandSame(read.result, bareResult("done"), "What is read of an answer");
  },

  "the values of a completed task are not read beside its reply": async (trial) => {
    for (const reply of [{ text: "done" }, null, false, ""]) {
      const result = { ...fullResult("done"), reply };
      const { runId } = await newTurn(trial, { status: "success", result });
      await trial.step();

      const { result: read } = await theTask(trial, runId, { answers: true });
      demandSame(read, { reply }, "What is read of a result with a reply");
    }
  },

  "the questions of a paused task are read always, and its values never": async (trial) => {
    const asked = pause("Ship it?");
    const { runId } = await newTurn(trial, {
      status: "interrupted",
      result: { ...asked, reply: "not yet" },
    });
    await trial.step();

    const { interrupts, checkpoint } = asked;
    for (const answers of [false, true]) {
      const { result } = await theTask(trial, runId, { answers });
      demandSame(result, { interrupts, checkpoint }, "What is read of a paused task");
    }
  },

  "nothing is read of a result that the status does not show": async (trial) => {
    for (const status of HIDING) {
      const { runId } = await newTurn(trial, { status, result: fullResult("hidden") });
      await trial.step();

      const { result } = await theTask(trial, runId, { answers: true });
      demandSame(result, null, `What is read of a result under ${status}`);
    }
  },

  "a task without a result is read with null": async (trial) => {
    for (const status of ["success", "interrupted"] satisfies RunStatus[]) {
      const { runId } = await newTurn(trial, { status });
      await trial.step();

      const { result } = await theTask(trial, runId, { answers: true });
      demandSame(result, null, `What is read where nothing was recorded under ${status}`);
    }
  },

  "the result of a task is that of its last run": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial, {
      status: "interrupted",
      result: pause("one"),
    });
    const later: RunResult = bareResult("two");
    await newTurn(trial, { task, threadId, status: "success", result: later });
    await trial.step();

    const { result } = await theTask(trial, task, { answers: true });
    demandSame(result, later, "The result of a task of two runs");
  },

  "the error of a failed task is read, and no other has one": async (trial) => {
    const { runId } = await newTurn(trial);
    const error = { error: "Error", message: "It is \"broken\": {'a'}" };
    await trial.settle(runId, { status: "error", error });
    const well = await newTurn(trial);
    await trial.settle(well.runId, { status: "success" });
    await trial.step();

    const failed = await theTask(trial, runId);
    demandSame(
      failed.error === null ? null : (JSON.parse(failed.error) as unknown),
      error,
      "The error of a failed task",
    );
    demandSame((await theTask(trial, well.runId)).error, null, "The error of a completed task");
  },
};

const HIDING: readonly RunStatus[] = ["pending", "running", "error", "timeout", "cancelled"];
