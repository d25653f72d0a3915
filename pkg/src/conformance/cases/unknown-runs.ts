// A run that is not there takes no result and has none (contract 2).

import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { newId, type Trial } from "../trial.js";
import { demandSame } from "../violation.js";

export const unknownRuns: CaseList = {
  "a run without a result reads as null": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of a run that has none");
  },

  "an unknown run reads as null": async (trial) => {
    demandSame(await trial.get(newId("run")), null, "The result of an unknown run");
  },

  "a write to an unknown run is a quiet no-op": async (trial) => {
    const threadId = await trial.newThread();
    const runId = newId("run");
    await trial.record(runId, fullResult("early"));
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of an unknown run that was written to");
    demandSame(await trial.row(runId), null, "The row of an unknown run that was written to");
    await trial.create({ runId, threadId });
    demandSame(await trial.get(runId), null, "The result of a run created after a write to its id");
  },

  "a run without a result is left out of an export, and so is an unknown one": async (trial) => {
    const { runId } = await trial.newRun();

    demandSame(
      await trial.exported([runId, newId("run")]),
      [],
      "The export of runs without results",
    );
    demandSame(await trial.exported([]), [], "The export of no runs");
  },

  "ids that look alike are ids of their own": async (trial) => {
    const threadId = await trial.newThread();
    const runIds = alike(newId("Run"));
    for (const runId of runIds) await trial.create({ runId, threadId });
    for (const [index, runId] of runIds.entries()) {
      await trial.record(runId, fullResult(String(index)));
      await trial.step();
    }

    for (const [index, runId] of runIds.entries()) {
      demandSame(await trial.get(runId), fullResult(String(index)), `The result of ${runId}`);
    }
  },

  "a run under the name of a member of every object is a run like any other": async (trial) => {
    for (const runId of ["__proto__", "constructor", "hasOwnProperty", "then"]) {
      demandSame(
        await trial.get(runId),
        null,
        `The result of "${runId}" before there is such a run`,
      );
      const { threadId } = await trial.newRun({ runId });
      await trial.record(runId, fullResult(runId));
      await trial.step();

      demandSame(await trial.get(runId), fullResult(runId), `The result of "${runId}"`);
      await trial.deleteThread(threadId);
      demandSame(await trial.get(runId), null, `The result of "${runId}" after it was deleted`);
    }
  },

  "an id that a store cannot hold is refused at its creation, or is an id of its own": async (
    trial,
  ) => {
    const threadId = await trial.newThread();
    const stem = newId("run");
    // What a lone surrogate becomes in UTF-8, in one way and in the other.
    const replaced = [`${stem}\u{fffd}`, `${stem}\u{fffd}\u{fffd}\u{fffd}`, stem];
    for (const runId of replaced) {
      await trial.create({ runId, threadId });
      await trial.record(runId, fullResult("replaced"));
    }

    for (const odd of [`${stem}\ud83d`, `${stem}\ude00`, `${stem}\u0000`, `${stem}\u0000b`]) {
      await demandUnknown(trial, odd);
      if (await isRefused(trial.create({ runId: odd, threadId }))) continue;

      await trial.record(odd, fullResult("odd"));
      await trial.step();
      demandSame(await trial.get(odd), fullResult("odd"), "The result of a run with an odd id");
      if (trial.offers("exportResults")) {
        const entries = await trial.exported([odd]);
        demandSame(entries, [[odd, fullResult("odd")]], "The export of a run with an odd id");
      }
      await trial.deleteRun(odd);
      demandSame(await trial.get(odd), null, "The result of a deleted run with an odd id");
    }

    for (const runId of replaced) {
      demandSame(await trial.get(runId), fullResult("replaced"), "The result beside the odd ids");
    }
  },

  "an unknown run cannot be settled, and is not made by it": async (trial) => {
    const runId = newId("run");
    const answer = await trial.settle(runId, { status: "success", result: fullResult("none") });

    demandSame(answer, null, "The answer to a settle of an unknown run");
    demandSame(await trial.row(runId), null, "The row of an unknown run that was settled");
    demandSame(await trial.get(runId), null, "The result of an unknown run that was settled");
  },

  "an unknown run cannot be cancelled, and is not made by it": async (trial) => {
    const runId = newId("run");

    demandSame(await trial.cancel(runId), null, "The answer to a cancel of an unknown run");
    demandSame(await trial.row(runId), null, "The row of an unknown run that was cancelled");
  },

  "an unknown run cannot be started, and is not made by it": async (trial) => {
    const runId = newId("run");

    demandSame(await trial.start(runId), null, "The answer to a start of an unknown run");
    demandSame(await trial.row(runId), null, "The row of an unknown run that was started");
  },
};

/** An id that is no run's is answered as one by everything that the store has. */
async function demandUnknown(trial: Trial, runId: string): Promise<void> {
  demandSame(await trial.get(runId), null, "The result of an odd id that is no run's");
  await trial.record(runId, fullResult("early"));
  demandSame(await trial.get(runId), null, "The result of an odd id that was written to");
  if (trial.offers("exportResults")) {
    demandSame(await trial.exported([runId]), [], "The export of an odd id that is no run's");
  }
  if (trial.offers("settleRun")) {
    demandSame(await trial.settle(runId, { status: "success" }), null, "The settle of an odd id");
  }
  if (trial.offers("cancelRun")) {
    demandSame(await trial.cancel(runId), null, "The cancel of an odd id");
  }
  if (trial.offers("startRun")) {
    demandSame(await trial.start(runId), null, "The start of an odd id");
  }
}

/** Ids that a store which folds, trims, cuts or interprets them takes for one another. */
function alike(id: string): string[] {
  return [
    id,
    id.toUpperCase(),
    id.toLowerCase(),
    `${id} `,
    ` ${id}`,
    `${id}%`,
    `${id}_`,
    `${id}'--`,
    `${id}"`,
    `${id}\\`,
    `${id}/..`,
    `${id}.json`,
    `${id}\u{1f600}`,
    `${id}\u{1f601}`,
    `${id}e\u0301`,
    `${id}\u00e9`,
    `${id}${"x".repeat(250)}`,
    `${id}${"x".repeat(250)}y`,
  ];
}

async function isRefused(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return false;
  } catch {
    return true;
  }
}
