// Of several writers at the same time exactly one wins, as a whole (contract 2).

import { mergeResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { bareResult, fullResult, wholeResult } from "../sample-results.js";
import { inEitherOrder, type Trial } from "../trial.js";
import { demandOneOf, demandSame } from "../violation.js";

const WRITERS = 20;
const ROUNDS = 10;

export const races: CaseList = {
  "of many writers at the same time one wins, and each reads what won": (trial) =>
    writersRace(trial, trial),

  "of many writers over two connections one wins, and each reads what won": async (trial) =>
    writersRace(trial, await trial.beside()),

  "a record that races with the deletion of its run leaves nothing": (trial) =>
    recordRacesWithDelete(trial, trial),

  "a record that races with the deletion of its run over another connection leaves nothing": async (
    trial,
  ) => recordRacesWithDelete(trial, await trial.beside()),

  "an import that races with a record leaves one result as a whole": (trial) =>
    importRacesWithRecord(trial, trial),

  "an import that races with a record over another connection leaves one result as a whole": async (
    trial,
  ) => importRacesWithRecord(trial, await trial.beside()),

  "an import that races with a write of the status over another connection attaches all the same":
    async (trial) => {
      const beside = await trial.beside();
      const threadId = await trial.newThread();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { runId } = await trial.newRun({ threadId });
        const attach = () => trial.attach(mergeResults({ results: [[runId, wholeResult(1)]] }));
        const write = () => beside.setStatus(runId, "success");

        await inEitherOrder(round, attach, write);

        demandSame(await beside.get(runId), wholeResult(1), "A result imported during a write");
        demandSame(
          (await trial.existingRow(runId)).status,
          "success",
          "The status written meanwhile",
        );
      }
    },

  "two imports of the same runs in opposite orders over two connections both end well": async (
    trial,
  ) => {
    const beside = await trial.beside();
    const threadId = await trial.newThread();
    for (let round = 0; round < ROUNDS; round += 1) {
      const runIds: string[] = [];
      for (let index = 0; index < WRITERS; index += 1) {
        runIds.push((await trial.newRun({ threadId })).runId);
      }
      const entries = mergeResults({ results: runIds.map((id) => [id, wholeResult(1)]) });

      await Promise.all([trial.attach(entries), beside.attach(entries.toReversed())]);

      for (const runId of runIds) {
        demandSame(await beside.get(runId), wholeResult(1), "A result that was imported twice");
      }
    }
  },

  "a later write over another connection does not replace the first": async (trial) => {
    const beside = await trial.beside();
    const { runId } = await trial.newRun();
    await trial.record(runId, bareResult("first"));
    await beside.record(runId, fullResult("second"));

    demandSame(await trial.get(runId), bareResult("first"), "A first result");
    demandSame(await beside.get(runId), bareResult("first"), "Over another connection the first");
  },

  "what one connection writes the other reads": async (trial) => {
    const beside = await trial.beside();
    const { runId } = await trial.newRun();
    demandSame(await beside.get(runId), null, "The result of a run that has none");

    await trial.record(runId, fullResult("first"));
    demandSame(await beside.get(runId), fullResult("first"), "Over another connection the result");
    await beside.deleteRun(runId);

    demandSame(await trial.get(runId), null, "The result of a run deleted by another connection");
  },
};

async function writersRace(trial: Trial, beside: Trial): Promise<void> {
  const threadId = await trial.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await trial.newRun({ threadId });
    const reads = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const connection = writer % 2 === 0 ? trial : beside;
        await connection.record(runId, wholeResult(writer));
        return connection.get(runId);
      }),
    );

    const [won] = reads;
    demandOneOf(
      won,
      reads.map((_, writer) => wholeResult(writer)),
      "The result after many writers",
    );
    for (const read of reads) demandSame(read, won, "What each of many writers reads");
    demandSame(await trial.get(runId), won, "The result after many writers");
  }
}

async function recordRacesWithDelete(recorder: Trial, eraser: Trial): Promise<void> {
  const threadId = await recorder.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await recorder.newRun({ threadId });
    const record = () => recorder.record(runId, fullResult("late"));
    const erase = () => eraser.deleteRun(runId);

    await inEitherOrder(round, record, erase);
    await recorder.create({ runId, threadId });

    demandSame(await recorder.get(runId), null, "A run created again after a raced deletion");
  }
}

async function importRacesWithRecord(importer: Trial, recorder: Trial): Promise<void> {
  const threadId = await importer.newThread();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { runId } = await importer.newRun({ threadId });
    const entries = mergeResults({ results: [[runId, fullResult("imported")]] });
    const attach = async () => {
      await importer.attach(entries);
      return importer.get(runId);
    };
    const record = async () => {
      await recorder.record(runId, bareResult("recorded"));
      return recorder.get(runId);
    };

    const reads = await inEitherOrder(round, attach, record);

    const found = await importer.get(runId);
    demandOneOf(
      found,
      [fullResult("imported"), bareResult("recorded")],
      "The result after an import raced with a record",
    );
    for (const read of reads) demandSame(read, found, "What each side of a race reads");
  }
}
