// The first write of a result stays (contract 2).

import { TERMINAL_STATUSES } from "../statuses.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import { aMoment } from "../trial.js";
import { demandSame } from "../violation.js";

export const firstWrite: CaseList = {
  "a recorded result is read": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "The result that was recorded");
  },

  "a later write does not replace the first": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.step();

    await trial.record(runId, fullResult("second"));
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "After a second write the result");
  },

  "a later write adds no member to the first": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, bareResult("first"));
    await trial.step();

    await trial.record(runId, fullResult("second"));
    await trial.step();

    demandSame(
      await trial.get(runId),
      bareResult("first"),
      "After a write with more members the result",
    );
  },

  "a result whose values are null or empty is a first result like any other": async (trial) => {
    for (const values of [null, false, 0, "", {}, []]) {
      const { runId } = await trial.newRun();
      await trial.record(runId, { values });
      await trial.step();
      await trial.record(runId, fullResult("second"));

      demandSame(await trial.get(runId), { values }, "A first result of empty values");
    }
  },

  "the same result delivered again is a quiet no-op": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await trial.record(runId, fullResult("first"));
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "A result that was delivered twice");
  },

  "the same result with its keys in another order is a quiet no-op": async (trial) => {
    const { runId } = await trial.newRun();
    const first = { values: { b: 1, "10": 2, a: 3, "2": 4, nested: { z: 1, y: 2 } }, reply: null };
    await trial.record(runId, first);

    await trial.record(runId, {
      reply: null,
      values: { nested: { y: 2, z: 1 }, "2": 4, a: 3, "10": 2, b: 1 },
    });
    await trial.step();

    demandSame(await trial.get(runId), first, "A result that was recorded in two orders of keys");
  },

  "a result is recorded whatever the status of its run": async (trial) => {
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      const { runId } = await trial.newRun({ status });
      await trial.record(runId, bareResult(status));
      await trial.step();

      demandSame(await trial.get(runId), bareResult(status), `The result of a run in ${status}`);
    }
  },

  "recording a result changes nothing in the run's row": async (trial) => {
    const { runId } = await trial.newRun();
    const before = await trial.row(runId);
    await aMoment();

    await trial.record(runId, fullResult("first"));
    await trial.step();

    demandSame(await trial.row(runId), before, "The row of a run whose result was recorded");
  },

  "the results of several runs are kept apart": async (trial) => {
    const threadId = await trial.newThread();
    const runs = [];
    for (let index = 0; index < 3; index += 1) runs.push(await trial.newRun({ threadId }));
    for (const [index, { runId }] of runs.entries()) {
      await trial.record(runId, fullResult(`result ${index}`));
    }
    await trial.step();

    for (const [index, { runId }] of runs.entries()) {
      demandSame(
        await trial.get(runId),
        fullResult(`result ${index}`),
        `The result of run ${index + 1} of a thread`,
      );
    }
  },
};
