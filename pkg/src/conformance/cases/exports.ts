// The results of a snapshot (contract 7): all that were asked for, as they are read.

import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import { newId } from "../trial.js";
import { demandSame } from "../violation.js";

/** More than any driver reads in one go. */
const MANY = 620;

export const exports: CaseList = {
  "an export holds the results of the runs that were asked for, and of no others": async (
    trial,
  ) => {
    const threadId = await trial.newThread();
    const first = await trial.newRun({ threadId });
    const second = await trial.newRun({ threadId });
    const without = await trial.newRun({ threadId });
    const notAsked = await trial.newRun({ threadId });
    await trial.record(first.runId, fullResult("first"));
    await trial.record(second.runId, bareResult("second"));
    await trial.record(notAsked.runId, fullResult("not asked"));
    await trial.step();

    const entries = await trial.exported([first.runId, newId("run"), without.runId, second.runId]);

    demandSame(
      Object.fromEntries(entries),
      { [first.runId]: fullResult("first"), [second.runId]: bareResult("second") },
      "The exported results by their runs",
    );
    demandSame(entries.length, 2, "The number of exported results");
  },

  "an export is JSON as it is, and reads back the same": async (trial) => {
    const { runId } = await trial.newRun();
    const values = { text: "a\u0000b\ud83d", n: 5e-324, list: [], none: null, "": {} };
    await trial.record(runId, { values, reply: null });
    await trial.step();

    const entries = await trial.exported([runId]);
    demandSame(entries, [[runId, { values, reply: null }]], "The exported result");
    demandSame(JSON.parse(JSON.stringify(entries)), entries, "The export written and read as JSON");
  },

  "an export of many runs leaves none out": async (trial) => {
    const threadId = await trial.newThread();
    const runIds: string[] = [];
    const expected: Record<string, unknown> = {};
    for (let index = 0; index < MANY; index += 1) {
      const { runId } = await trial.newRun({ threadId, status: "success" });
      runIds.push(runId);
      if (index % 20 !== 0) continue;
      await trial.record(runId, bareResult(String(index)));
      expected[runId] = bareResult(String(index));
    }

    const entries = await trial.exported(runIds);

    demandSame(Object.fromEntries(entries), expected, "The exported results of many runs");
  },
};
