// An engine's settle point over the store (contract 3, 4 and 5), in one write where the store offers it
// and in two steps where it does not.

import type { RunStatus } from "../../wasm/shapes.js";
import { markRun } from "../../tasks/mark.js";
import { RunSettlement } from "../../results/settlement.js";
import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { newId, type Trial } from "../trial.js";
import { demandFailure, demandSame } from "../violation.js";

export const settlements: CaseList = {
  "a marked run that finishes has its status and its result": async (trial) => {
    const attempt = await started(trial, "marked");
    demandSame(await attempt.finish(fullResult("first")), "success", "The effective status");
    await trial.step();

    await demandEnd(trial, attempt.runId, "success", fullResult("first"));
  },

  "a run that the server did not mark is never captured, whatever it answers": async (trial) => {
    for (const result of [fullResult("none"), { values: { n: 5n } }]) {
      const attempt = await started(trial, "unmarked");
      demandSame(await attempt.finish(result), "success", "The effective status");
      await trial.step();

      await demandEnd(trial, attempt.runId, "success", null);
    }
  },

  "a capture that fails leaves the run in flight, and it ends in error": async (trial) => {
    const attempt = await started(trial, "marked");
    await demandFailure(
      attempt.finish({ values: { n: 5n } }),
      ["capture_failed"],
      "A capture that cannot be carried",
    );
    await trial.step();
    await demandEnd(trial, attempt.runId, "running", null);

    demandSame(await attempt.stop("error"), "error", "The effective status of a failed capture");
    await trial.step();
    await demandEnd(trial, attempt.runId, "error", null);
  },

  "a settle that is entered again changes neither the status nor the result": async (trial) => {
    const attempt = await started(trial, "marked");
    await attempt.finish(fullResult("first"));
    await trial.step();
    const before = await trial.row(attempt.runId);

    demandSame(await attempt.stop("error"), "success", "The status that a second settle is told");
    await trial.step();
    // In two steps only the attempt itself knows that it has settled.
    trial.requireOneWrite();
    const other = attemptOf(trial, attempt.runId, attempt.kwargs);
    demandSame(await other.stop("error"), "success", "The status that another attempt is told");
    await trial.step();

    demandSame(await trial.row(attempt.runId), before, "The row after a second settle");
    await demandEnd(trial, attempt.runId, "success", fullResult("first"));
  },

  "an attempt that is run again after a crash keeps one result as a whole": async (trial) => {
    const crashed = await started(trial, "marked");
    await trial.record(crashed.runId, fullResult("first"));
    await trial.step();

    const again = attemptOf(trial, crashed.runId, crashed.kwargs);
    demandSame(await again.finish(fullResult("second")), "success", "The effective status");
    await trial.step();

    await demandEnd(trial, crashed.runId, "success", fullResult("first"));
  },

  "a run that was stopped has no result": async (trial) => {
    for (const status of ["error", "timeout", "interrupted", "cancelled"] as const) {
      const attempt = await started(trial, "marked");
      demandSame(await attempt.stop(status), status, "The effective status of a stopped run");
      await trial.step();

      await demandEnd(trial, attempt.runId, status, null);
    }
  },
};

async function started(trial: Trial, marking: "marked" | "unmarked") {
  const runId = newId("run");
  const plain = { input: "in" };
  const kwargs =
    marking === "marked" ? markRun(plain, { root: runId, turn: 0, message: null }) : plain;
  await trial.newRun({ runId, kwargs });
  return attemptOf(trial, runId, kwargs);
}

/** One execution attempt, as the engine has it: `settle` with the host's own write of the status. */
function attemptOf(trial: Trial, runId: string, kwargs: object) {
  const settlement = new RunSettlement(trial.settling, { runId, kwargs });
  const writeStatus = (status: RunStatus) => trial.setStatus(runId, status);
  return {
    runId,
    kwargs,
    finish: (result: unknown) =>
      settlement.settle(
        { end: "finished", status: "success", result: result as ReturnType<typeof fullResult> },
        writeStatus,
      ),
    stop: (status: "error" | "timeout" | "interrupted" | "cancelled") =>
      settlement.settle({ end: "stopped", status }, writeStatus),
  };
}

async function demandEnd(
  trial: Trial,
  runId: string,
  status: RunStatus,
  result: unknown,
): Promise<void> {
  demandSame((await trial.existingRow(runId)).status, status, "The status of the run");
  demandSame(await trial.get(runId), result, "The result of the run");
}
