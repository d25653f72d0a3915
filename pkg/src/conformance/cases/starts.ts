// A run is started only while it is in flight: what has ended is not brought back (contract 5).

import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, inEitherOrder, type Trial } from "../trial.js";
import { demand, demandSame } from "../violation.js";

const ROUNDS = 10;

export const starts: CaseList = {
  "a run that waits is started, and one that was left running is started again": async (trial) => {
    const { runId } = await trial.newRun({ status: "pending" });
    demandSame(await trial.start(runId), { status: "running", won: true }, "The start of a run");
    await trial.step();
    const started = await trial.existingRow(runId);
    demandSame(started.status, "running", "The status of a run that was started");
    await aMoment();

    const again = await trial.start(runId);
    await trial.step();
    demandSame(again, { status: "running", won: true }, "The start of a run that was left running");
    demandSame(await trial.row(runId), started, "The row of a run that was started again");
  },

  "a run that has ended is not started, and keeps its status, its time and its result": async (
    trial,
  ) => {
    for (const status of TERMINAL_STATUSES) {
      const { runId } = await trial.newRun();
      await trial.record(runId, fullResult(status));
      await trial.setStatus(runId, status);
      const before = await trial.row(runId);
      await aMoment();

      const answer = await trial.start(runId);
      await trial.step();

      demandSame(answer, { status, won: false }, `The start of a run that ended ${status}`);
      demandSame(await trial.row(runId), before, `The row of a run that ended ${status}`);
      demandSame(await trial.get(runId), fullResult(status), `The result of a run in ${status}`);
    }
  },

  "a cancellation that comes while a run starts is never undone": (trial) =>
    startRacesWithCancel(trial, trial),

  "a cancellation over another connection while a run starts is never undone": async (trial) =>
    startRacesWithCancel(trial, await trial.beside()),
};

async function startRacesWithCancel(starter: Trial, canceller: Trial): Promise<void> {
  const threadId = await starter.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await starter.newRun({ threadId, status: "pending" });
    const [started, cancelled] = await inEitherOrder(
      round,
      () => starter.start(runId),
      () => canceller.cancel(runId),
    );

    demandSame(cancelled, { status: "cancelled", won: true }, "The cancel of a run that starts");
    demand(
      started?.won === (started?.status === "running"),
      "A start that won must say running, and one that lost the status that stands.",
    );
    const row = await starter.existingRow(runId);
    demandSame(row.status, "cancelled", "The status of a run that was cancelled while it started");
  }
}
