// A thread is copied in one step (contract 9): with all its results, or not at all.

import type { ResultCopy } from "../../drivers/driver.js";
import { isSkeinResultsError } from "../../wasm/errors.js";
import { mergeResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { copyOf, onThread, recorded } from "../copied-runs.js";
import { fullResult } from "../sample-results.js";
import { demandSeenAtOnce } from "../seen-at-once.js";
import { Lacks, newId, type Trial } from "../trial.js";
import { demand, demandSame, violated } from "../violation.js";

/** Enough that a store which takes them one by one is seen doing so. */
const MANY = 60;

export const oneStepCopies: CaseList = {
  "a copy that fails half way leaves nothing": async (trial) => {
    trial.requireOneStep("copyResults");
    const { first, broken, copies, copy } = await halfBroken(trial);
    await demandCopyFails(trial.copy(copy));
    await trial.step();

    for (const { to } of copies) {
      demandSame(await trial.get(to), null, "A copy beside one that failed");
    }
    demandSame(await trial.get(first), fullResult("first"), "The source of a copy that failed");
    await trial.deleteRun(broken);
  },

  "a copy is seen as a whole or not at all": async (trial) => {
    trial.requireOneStep("copyResults");
    const source = await trial.newThread();
    const target = await trial.newThread();
    const copies: ResultCopy[] = [];
    for (let index = 0; index < MANY; index += 1) {
      const from = await recorded(trial, source, onThread(source));
      const { runId: to } = await trial.newRun({ threadId: target, status: "success" });
      copies.push({ from, to });
    }
    const targets = copies.map(({ to }) => to);

    await demandSeenAtOnce(trial, targets, () => trial.copy(copyOf(source, target, copies)));

    for (const to of targets) {
      demandSame(await trial.get(to), onThread(target), "One of many copied results");
    }
  },

  "a copy that fails in the host's transaction leaves no run": async (trial) => {
    const { copy } = await halfBroken(trial);
    const created = newId("run");
    await demandCopyFails(
      trial.transaction(async ({ handle, createRun }) => {
        await createRun({
          runId: created,
          threadId: copy.targetThread,
          status: "success",
          kwargs: {},
        });
        const [{ from }] = copy.runs as [ResultCopy];
        await trial.copy({ ...copy, runs: [{ from, to: created }, ...copy.runs] }, handle);
      }),
    );
    await trial.step();

    demandSame(await trial.row(created), null, "The row of a copy that failed");
    for (const { to } of copy.runs) {
      demandSame(await trial.get(to), null, "A result of a copy that failed");
    }
  },

  "a copy in the host's transaction reaches the runs created in it": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const created = newId("run");
    await trial.transaction(async ({ handle, createRun }) => {
      await createRun({ runId: created, threadId: target, status: "success", kwargs: {} });
      await trial.copy(copyOf(source, target, [{ from: run, to: created }]), handle);
    });
    await trial.step();

    demandSame(await trial.get(created), onThread(target), "The result of a copied run");
  },

  "a copied run is never seen without its result": async (trial) => {
    const beside = await trial.beside();
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const created = newId("run");
    await trial.transaction(async ({ handle, createRun }) => {
      await createRun({ runId: created, threadId: target, status: "success", kwargs: {} });
      demandSame(await beside.row(created), null, "The row of a copy that is not complete");
      await trial.copy(copyOf(source, target, [{ from: run, to: created }]), handle);
      demandSame(await beside.row(created), null, "The row of a copy that is not committed");
      demandSame(await beside.get(created), null, "The result of a copy that is not committed");
    });

    demand((await beside.row(created)) !== null, "A copy that was committed must be there.");
    demandSame(await beside.get(created), onThread(target), "The result of a committed copy");
  },

  "a copy in a transaction that is rolled back leaves nothing": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const existing = (await trial.newRun({ threadId: target })).runId;
    const created = newId("run");
    await trial.rolledBack(async ({ handle, createRun }) => {
      await createRun({ runId: created, threadId: target, status: "success", kwargs: {} });
      const runs = [
        { from: run, to: created },
        { from: run, to: existing },
      ];
      await trial.copy(copyOf(source, target, runs), handle);
    });
    await trial.step();

    demandSame(await trial.row(created), null, "The row of a copy that was rolled back");
    demandSame(await trial.get(existing), null, "The result of a copy that was rolled back");
  },
};

/** A copy of two runs, the second of which has a checkpoint that cannot be read. */
async function halfBroken(trial: Trial) {
  const source = await trial.newThread();
  const target = await trial.newThread();
  const first = await recorded(trial, source, fullResult("first"));
  const broken = (await trial.newRun({ threadId: source, status: "success" })).runId;
  const [entry] = mergeResults({ results: [[broken, fullResult("broken")]] });
  if (!entry) violated("An entry of a snapshot must be merged.");
  await trial.attach([[broken, { ...entry[1], checkpoint: '{"thread_id":' }]]);
  const copies: ResultCopy[] = [];
  for (const from of [first, broken]) {
    copies.push({ from, to: (await trial.newRun({ threadId: target, status: "success" })).runId });
  }
  return { first, broken, copies, copy: copyOf(source, target, copies) };
}

/** The failure may arrive as it is, or as the failure of the primitive that met it. */
async function demandCopyFails(copy: Promise<void>): Promise<void> {
  try {
    await copy;
  } catch (error) {
    if (error instanceof Lacks) throw error;
    const codes = [error, error instanceof Error ? error.cause : null].flatMap((failure) =>
      isSkeinResultsError(failure) ? [failure.code] : [],
    );
    if (codes.includes("corrupt_result")) return;
    violated("A checkpoint that cannot be read must fail the copy with corrupt_result.", error);
  }
  violated("A checkpoint that cannot be read must fail the copy, and the copy resolves.");
}
