// Status and result in one write: both are written, or neither (contract 4 and 5).

import type { CaseList } from "../case.js";
import { bareResult, fullResult, wholeResult } from "../sample-results.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, inEitherOrder, type Trial } from "../trial.js";
import { demand, demandFailure, demandOneOf, demandSame, shown } from "../violation.js";

export const settles: CaseList = {
  "a settle of a run in flight writes the status and the result": async (trial) => {
    for (const before of ["pending", "running"] as const) {
      for (const status of TERMINAL_STATUSES) {
        const { runId } = await trial.newRun({ status: before });

        const answer = await trial.settle(runId, { status, result: fullResult(status) });
        await trial.step();

        demandSame(answer, { status, won: true }, `The answer to a settle of a ${before} run`);
        await demandEnd(trial, runId, status, fullResult(status));
      }
    }
  },

  "a settle without a result writes the status alone": async (trial) => {
    const { runId } = await trial.newRun();
    const answer = await trial.settle(runId, {
      status: "error",
      error: { error: "TypeError", message: "the-graph-broke" },
    });
    await trial.step();

    demandSame(answer, { status: "error", won: true }, "The answer to a settle without a result");
    await demandEnd(trial, runId, "error", null);
  },

  "the error of a settle stands in the run's row, and a success has none": async (trial) => {
    const failed = await trial.newRun();
    const message = `the-graph-broke "\u0000\ud83d" \u{1f600}`;
    await trial.settle(failed.runId, { status: "error", error: { error: "TypeError", message } });
    const succeeded = await trial.newRun();
    await trial.settle(succeeded.runId, { status: "success", result: bareResult("first") });
    await trial.step();

    const row = JSON.stringify(await trial.row(failed.runId));
    demand(
      row.includes("TypeError") && row.includes("the-graph-broke"),
      `The row of a run that failed must hold its error, and is ${row}.`,
    );
    const other = (await trial.existingRow(succeeded.runId)) as { error?: unknown };
    demand(other.error === undefined || other.error === null, "A success must have no error.");
  },

  "a settle that comes after another end writes neither status nor result": async (trial) => {
    for (const ended of TERMINAL_STATUSES) {
      const { runId } = await trial.newRun();
      await trial.setStatus(runId, ended);
      await demandLoses(trial, runId, ended, null);
    }
  },

  "a settle that comes after a cancellation writes neither status nor result": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.cancel(runId);
    await trial.step();

    await demandLoses(trial, runId, "cancelled", null);
  },

  "a settle delivered twice changes nothing, not even the time": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.settle(runId, { status: "success", result: fullResult("first") });
    await trial.step();

    await demandLoses(trial, runId, "success", fullResult("first"));
  },

  "a settle keeps a first result, and adds nothing to it": async (trial) => {
    for (const first of [fullResult("first"), bareResult("first"), { values: null }]) {
      for (const result of [fullResult("second"), bareResult("second"), undefined]) {
        const { runId } = await trial.newRun();
        await trial.record(runId, first);
        await trial.step();

        const settle = { status: "success" as const, ...(result ? { result } : {}) };
        demandSame(
          await trial.settle(runId, settle),
          { status: "success", won: true },
          "The answer to a settle of a run that has a result",
        );
        await trial.step();

        await demandEnd(trial, runId, "success", first);
      }
    }
  },

  "a settle whose result cannot be carried writes nothing, and the run can still end": async (
    trial,
  ) => {
    const { runId } = await trial.newRun();
    const before = await trial.row(runId);
    const settle = { status: "success" as const, result: { values: { n: 5n } } };
    await demandFailure(
      trial.settle(runId, settle),
      ["not_serializable"],
      "A settle with a BigInt",
    );
    await trial.step();

    demandSame(await trial.row(runId), before, "The row after a settle that failed");
    demandSame(await trial.get(runId), null, "The result after a settle that failed");
    await trial.settle(runId, { status: "error" });
    await demandEnd(trial, runId, "error", null);
  },

  "a deleted run cannot be settled, and nothing comes back by it": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.deleteRun(runId);

    const answer = await trial.settle(runId, { status: "success", result: fullResult("late") });
    await trial.step();

    demand(answer === null, `The settle of a deleted run must answer null, not ${shown(answer)}.`);
    demandSame(await trial.row(runId), null, "The row of a deleted run that was settled");
    await trial.create({ runId, threadId });
    demandSame(await trial.get(runId), null, "A run created again after a late settle");
  },

  "of many settles at the same time one wins, with its status and its result": (trial) =>
    settlesRace(trial, trial),

  "of many settles over two connections one wins, with its status and its result": async (trial) =>
    settlesRace(trial, await trial.beside()),

  "a settle that races with a record leaves the status and one result as a whole": async (
    trial,
  ) => {
    const threadId = await trial.newThread();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { runId } = await trial.newRun({ threadId });
      const settle = () =>
        trial.settle(runId, { status: "success", result: fullResult("settled") });
      const record = () => trial.record(runId, bareResult("recorded"));

      await inEitherOrder(round, settle, record);

      const candidates = [fullResult("settled"), bareResult("recorded")];
      demandOneOf(await trial.get(runId), candidates, "The result after a race");
      demandSame((await trial.existingRow(runId)).status, "success", "The status after a race");
    }
  },
};

const ROUNDS = 10;
const SETTLES = 12;

async function settlesRace(trial: Trial, beside: Trial): Promise<void> {
  const threadId = await trial.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await trial.newRun({ threadId });
    const statusOf = (writer: number) => TERMINAL_STATUSES[writer % TERMINAL_STATUSES.length];
    const answers = await Promise.all(
      Array.from({ length: SETTLES }, (_, writer) =>
        (writer % 2 === 0 ? trial : beside).settle(runId, {
          status: statusOf(writer) ?? "success",
          result: wholeResult(writer),
        }),
      ),
    );

    const winners = answers.flatMap((answer, writer) => (answer?.won ? [writer] : []));
    const [winner] = winners;
    demand(
      winner !== undefined && winners.length === 1,
      `Of ${SETTLES} settles at the same time one must win, and ${winners.length} did.`,
    );
    const status = statusOf(winner);
    for (const answer of answers) {
      demandSame(answer?.status, status, "The status that each of many settles is told");
    }
    await demandEnd(trial, runId, status, wholeResult(winner));
  }
}

/** A settle after the end: it is told so, and changes nothing. */
async function demandLoses(
  trial: Trial,
  runId: string,
  ended: string,
  result: unknown,
): Promise<void> {
  const before = await trial.row(runId);
  await aMoment();

  for (const status of TERMINAL_STATUSES) {
    const answer = await trial.settle(runId, { status, result: fullResult("late") });
    await trial.step();
    demandSame(
      answer,
      { status: ended, won: false },
      `The answer to a settle of a run that ended ${ended}`,
    );
  }

  demandSame(await trial.row(runId), before, `The row of a run that ended ${ended}`);
  demandSame(await trial.get(runId), result, `The result of a run that ended ${ended}`);
}

async function demandEnd(
  trial: Trial,
  runId: string,
  status: string | undefined,
  result: unknown,
): Promise<void> {
  demandSame((await trial.existingRow(runId)).status, status, "The status of a settled run");
  demandSame(await trial.get(runId), result, "The result of a settled run");
}
