// A result goes with its run, in the same step, and does not come back (contract 8).

import { mergeResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import type { Trial, TrialRun } from "../trial.js";
import { demandSame } from "../violation.js";

export const erasure: CaseList = {
  "deleting a run erases its result and no other": async (trial) => {
    const [first, second, third] = await threeRuns(trial);
    await trial.deleteRun(second.runId);
    await trial.step();

    demandSame(await trial.get(second.runId), null, "The result of a deleted run");
    demandSame(await trial.get(first.runId), fullResult("1"), "The result of the run before it");
    demandSame(await trial.get(third.runId), fullResult("3"), "The result of the run after it");
  },

  "deleting a thread erases the results of its runs and no other": async (trial) => {
    const runs = await threeRuns(trial);
    const elsewhere = await trial.newRun();
    await trial.record(elsewhere.runId, fullResult("elsewhere"));
    await trial.deleteThread(runs[0].threadId);
    await trial.step();

    for (const { runId } of runs) {
      demandSame(await trial.get(runId), null, "The result of a run of a deleted thread");
      demandSame(await trial.row(runId), null, "The row of a run of a deleted thread");
    }
    demandSame(
      await trial.get(elsewhere.runId),
      fullResult("elsewhere"),
      "Another thread's result",
    );
  },

  "an erased result is not exported": async (trial) => {
    const [first, second, third] = await threeRuns(trial);
    await trial.deleteRun(second.runId);
    await trial.step();
    const runIds = [first.runId, second.runId, third.runId];
    demandSame(
      (await trial.exported(runIds)).map(([runId]) => runId).sort(),
      [first.runId, third.runId].sort(),
      "The runs whose results are exported",
    );

    await trial.deleteThread(first.threadId);
    await trial.step();
    demandSame(await trial.exported(runIds), [], "The export of a deleted thread's runs");
  },

  "a run created under the id of a deleted one starts without a result": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.deleteRun(runId);
    await trial.step();
    await trial.create({ runId, threadId });
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of a run created again");
    await trial.record(runId, bareResult("second"));
    await trial.step();
    demandSame(await trial.get(runId), bareResult("second"), "The first result of the new run");
  },

  "a run created again on a thread created again starts without a result": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.deleteThread(threadId);
    await trial.step();
    await trial.createThread(threadId);
    await trial.create({ runId, threadId });
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of a run created again with its thread");
  },

  "a run written over under its id starts without a result, or the creation is refused": async (
    trial,
  ) => {
    const { runId, threadId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    const left = await trial.create({ runId, threadId }).then(
      () => null,
      () => fullResult("first"),
    );
    await trial.step();

    demandSame(await trial.get(runId), left, "The result of a run that was created twice");
  },

  "a capture that comes after the erasure is a quiet no-op": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.deleteRun(runId);
    await trial.record(runId, fullResult("late"));
    await trial.step();
    demandSame(await trial.get(runId), null, "The result of a deleted run that was written to");

    await trial.create({ runId, threadId });
    demandSame(await trial.get(runId), null, "The result of a run created after a late capture");
  },

  "an import that comes after the erasure is a quiet no-op": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.deleteRun(runId);
    await trial.attach(mergeResults({ results: [[runId, fullResult("late")]] }));
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of a deleted run that was imported");
    await trial.create({ runId, threadId });
    demandSame(await trial.get(runId), null, "The result of a run created after a late import");
  },

  "a capture that comes after the erasure of the thread is a quiet no-op": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    await trial.deleteThread(threadId);
    await trial.record(runId, fullResult("late"));
    await trial.step();

    await trial.createThread(threadId);
    await trial.create({ runId, threadId });
    demandSame(await trial.get(runId), null, "The result of a run created after a late capture");
  },
};

/** Three runs on a thread, with the results "1", "2" and "3". */
async function threeRuns(trial: Trial): Promise<[TrialRun, TrialRun, TrialRun]> {
  const threadId = await trial.newThread();
  const run = async (text: string) => {
    const made = await trial.newRun({ threadId });
    await trial.record(made.runId, fullResult(text));
    return made;
  };
  return [await run("1"), await run("2"), await run("3")];
}
