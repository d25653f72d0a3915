// Attaching the entries of a snapshot (contract 7): to runs that exist, once, and never over a result.

import { mergeResults, type SnapshotResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult } from "../sample-results.js";
import { demandSeenAtOnce } from "../seen-at-once.js";
import { TERMINAL_STATUSES } from "../statuses.js";
import { aMoment, newId, type Trial } from "../trial.js";
import { demandSame, violated } from "../violation.js";

/** Enough that a store which takes them one by one is seen doing so. */
const MANY = 60;

export const imports: CaseList = {
  "an entry attaches to its run, whatever the run's status": async (trial) => {
    const threadId = await trial.newThread();
    const entries: SnapshotResults = [];
    for (const status of ["pending", "running", ...TERMINAL_STATUSES] as const) {
      const { runId } = await trial.newRun({ threadId, status });
      entries.push([runId, fullResult(status)]);
    }

    await importEntries(trial, entries);
    await trial.step();

    for (const [runId, result] of entries) {
      demandSame(await trial.get(runId), result, "The result of a run that an entry was for");
    }
  },

  "an exported result that is imported reads as the one that was exported": async (trial) => {
    const source = await trial.newRun();
    const target = await trial.newRun();
    const values = {
      half: "x\ud83d",
      nul: "a\u0000b",
      small: 5e-324,
      keys: { "a\ud800": 1, "a\ud801": 2 },
      order: { b: 1, "10": 2, a: 3 },
    };
    await trial.record(source.runId, { ...fullResult("first"), values });

    const [entry] = await trial.exported([source.runId]);
    if (!entry) violated("A recorded result must be exported.");
    await importEntries(trial, [[target.runId, entry[1]]]);
    await trial.step();

    demandSame(
      await trial.get(target.runId),
      { ...fullResult("first"), values },
      "A result that was exported and imported",
    );
  },

  "an import does not replace a result, and adds no member to it": async (trial) => {
    for (const first of [fullResult("first"), bareResult("first"), { values: null }]) {
      const { runId } = await trial.newRun();
      await trial.record(runId, first);
      await importEntries(trial, [[runId, fullResult("imported")]]);
      await trial.step();

      demandSame(await trial.get(runId), first, "A result that an import had another entry for");
    }
  },

  "importing twice changes nothing the second time": async (trial) => {
    const { runId } = await trial.newRun();
    await importEntries(trial, [[runId, bareResult("imported")]]);
    const before = await trial.row(runId);
    await aMoment();

    await importEntries(trial, [[runId, bareResult("imported")]]);
    await importEntries(trial, [[runId, fullResult("another")]]);
    await trial.step();

    demandSame(await trial.get(runId), bareResult("imported"), "A result that was imported again");
    demandSame(await trial.row(runId), before, "The row of a run that was imported again");
  },

  "an import changes nothing in the rows of the runs": async (trial) => {
    const { runId } = await trial.newRun({ status: "success" });
    const before = await trial.row(runId);
    await aMoment();

    await importEntries(trial, [[runId, fullResult("imported")]]);
    await trial.step();

    demandSame(await trial.row(runId), before, "The row of a run whose result was imported");
  },

  "an orphan is ignored, and the entries beside it attach": async (trial) => {
    const threadId = await trial.newThread();
    const first = await trial.newRun({ threadId });
    const second = await trial.newRun({ threadId });
    const orphan = newId("run");

    await importEntries(trial, [
      [first.runId, fullResult("first")],
      [orphan, fullResult("orphan")],
      [second.runId, fullResult("second")],
    ]);
    await trial.step();

    demandSame(await trial.get(first.runId), fullResult("first"), "The entry before an orphan");
    demandSame(await trial.get(second.runId), fullResult("second"), "The entry after an orphan");
    demandSame(await trial.get(orphan), null, "The result of an orphan");
    await trial.create({ runId: orphan, threadId });
    demandSame(await trial.get(orphan), null, "A run created after it was an orphan of an import");
  },

  "an import of no entries is a quiet no-op": async (trial) => {
    const { runId } = await trial.newRun();
    for (const results of [undefined, null, {}, []]) {
      await trial.attach(mergeResults({ results }));
    }
    await trial.step();

    demandSame(await trial.get(runId), null, "The result of a run after an import of none");
  },

  "a first write after an import is none": async (trial) => {
    const { runId } = await trial.newRun();
    await importEntries(trial, [[runId, bareResult("imported")]]);
    await trial.record(runId, fullResult("late"));
    await trial.step();

    demandSame(await trial.get(runId), bareResult("imported"), "An imported result");
  },

  "an import is seen as a whole or not at all": async (trial) => {
    trial.requireOneStep("attachResults");
    const threadId = await trial.newThread();
    const entries: SnapshotResults = [];
    for (let index = 0; index < MANY; index += 1) {
      const { runId } = await trial.newRun({ threadId, status: "success" });
      entries.push([runId, bareResult(String(index))]);
    }
    const runIds = entries.map(([runId]) => runId);

    await demandSeenAtOnce(trial, runIds, () => importEntries(trial, entries));

    for (const [runId, result] of entries) {
      demandSame(await trial.get(runId), result, "One of many imported results");
    }
  },

  "an import in the host's transaction attaches to the runs created in it": async (trial) => {
    const threadId = await trial.newThread();
    const runId = newId("run");
    await trial.transaction(async ({ handle, createRun }) => {
      await createRun({ runId, threadId, status: "success", kwargs: {} });
      await trial.attach(mergeResults({ results: [[runId, fullResult("imported")]] }), handle);
    });
    await trial.step();

    demandSame(await trial.get(runId), fullResult("imported"), "The result of an imported run");
  },

  "an import in a transaction that is rolled back leaves nothing": async (trial) => {
    const { runId, threadId } = await trial.newRun();
    const created = newId("run");
    await trial.rolledBack(async ({ handle, createRun }) => {
      await createRun({ runId: created, threadId, status: "success", kwargs: {} });
      const results = [
        [runId, fullResult("imported")],
        [created, fullResult("imported")],
      ];
      await trial.attach(mergeResults({ results }), handle);
    });
    await trial.step();

    demandSame(await trial.row(created), null, "The row of a run whose creation was rolled back");
    demandSame(await trial.get(runId), null, "The result of a run whose import was rolled back");
  },
};

/** What a host's import does once the runs are there. */
function importEntries(trial: Trial, results: SnapshotResults | unknown[]): Promise<void> {
  return trial.attach(mergeResults({ results }));
}
