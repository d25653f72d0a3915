// A cancellation ends a run that is in flight, and no other (contract 5).

import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, inEitherOrder, type Trial } from "../trial.js";
import { demand, demandSame } from "../violation.js";

const ROUNDS = 10;

export const cancellations: CaseList = {
  "a cancellation ends a run that is in flight": async (trial) => {
    for (const status of ["pending", "running"] as const) {
      const { runId } = await trial.newRun({ status });
      const answer = await trial.cancel(runId);
      await trial.step();

      demandSame(answer, { status: "cancelled", won: true }, `The cancel of a ${status} run`);
      const row = await trial.existingRow(runId);
      demandSame(row.status, "cancelled", "The status of a cancelled run");
      demandSame(await trial.get(runId), null, "The result of a cancelled run");
    }
  },

  "a run that has ended keeps its status, its time and its result": async (trial) => {
    for (const status of TERMINAL_STATUSES) {
      const { runId } = await trial.newRun();
      await trial.record(runId, fullResult(status));
      await trial.setStatus(runId, status);
      const before = await trial.row(runId);
      await aMoment();

      const answer = await trial.cancel(runId);
      await trial.step();

      demandSame(answer, { status, won: false }, `The cancel of a run that ended ${status}`);
      demandSame(await trial.row(runId), before, `The row of a run that ended ${status}`);
      demandSame(await trial.get(runId), fullResult(status), `The result of a run in ${status}`);
    }
  },

  "of a cancellation and a settle at the same time one wins, as a whole": (trial) =>
    cancelRacesWithSettle(trial, trial),

  "of a cancellation and a settle over two connections one wins, as a whole": async (trial) =>
    cancelRacesWithSettle(trial, await trial.beside()),
};

async function cancelRacesWithSettle(settler: Trial, canceller: Trial): Promise<void> {
  const threadId = await settler.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await settler.newRun({ threadId });
    const [settled, cancelled] = await inEitherOrder(
      round,
      () => settler.settle(runId, { status: "success", result: fullResult("settled") }),
      () => canceller.cancel(runId),
    );

    demand(
      settled?.won !== cancelled?.won,
      "Of a cancellation and a settle at the same time exactly one must win.",
    );
    const status = settled?.won ? "success" : "cancelled";
    demandSame(settled?.status, status, "The status that the settle is told");
    demandSame(cancelled?.status, status, "The status that the cancellation is told");
    demandSame((await settler.existingRow(runId)).status, status, "The status after the race");
    demandSame(
      await settler.get(runId),
      settled?.won ? fullResult("settled") : null,
      `The result of a run that ended ${status}`,
    );
  }
}
