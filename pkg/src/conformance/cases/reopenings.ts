// What was acknowledged is there after the store was closed and opened (contract 6).

import { mergeResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import { demandSame } from "../violation.js";

export const reopenings: CaseList = {
  "a recorded result is there after closing and opening": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.reopen();

    demandSame(await trial.get(runId), fullResult("first"), "A recorded result, reopened");
    await trial.record(runId, fullResult("second"));
    await trial.reopen();
    demandSame(await trial.get(runId), fullResult("first"), "A first result, reopened twice");
  },

  "a settled run is there after closing and opening": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.settle(runId, { status: "success", result: fullResult("first") });
    const before = await trial.row(runId);
    await trial.reopen();

    demandSame(await trial.row(runId), before, "The row of a settled run, reopened");
    demandSame(
      await trial.get(runId),
      fullResult("first"),
      "The result of a settled run, reopened",
    );
  },

  "a cancelled run is there after closing and opening": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.cancel(runId);
    const before = await trial.row(runId);
    await trial.reopen();

    demandSame(await trial.row(runId), before, "The row of a cancelled run, reopened");
  },

  "an imported result is there after closing and opening": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.attach(mergeResults({ results: [[runId, fullResult("imported")]] }));
    await trial.reopen();

    demandSame(await trial.get(runId), fullResult("imported"), "An imported result, reopened");
  },

  "a copied result is there after closing and opening": async (trial) => {
    const source = await trial.newRun();
    const target = await trial.newRun();
    await trial.record(source.runId, bareResult("first"));
    await trial.copy({
      sourceThread: source.threadId,
      targetThread: target.threadId,
      runs: [{ from: source.runId, to: target.runId }],
    });
    await trial.reopen();

    demandSame(await trial.get(target.runId), bareResult("first"), "A copied result, reopened");
  },

  "an erased result is gone after closing and opening": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.deleteRun(runId);
    await trial.reopen();

    demandSame(await trial.get(runId), null, "An erased result, reopened");
    await trial.create({ runId, threadId });
    await trial.reopen();
    demandSame(await trial.get(runId), null, "A run created again, reopened");
  },
};
