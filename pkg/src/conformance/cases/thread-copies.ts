// Results of a copied thread (contract 9): the same, on the copy's own thread, and independent.

import type { RunResult } from "../../wasm/shapes.js";
import type { CaseList } from "../case.js";
import { copied, copyOf, onThread, recorded } from "../copied-runs.js";
import { bareResult, fullResult } from "../sample-results.js";
import { newId } from "../trial.js";
import { demandSame } from "../violation.js";

export const threadCopies: CaseList = {
  "a copy has the result of its source, with the checkpoint on its own thread": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const copy = await copied(trial, { source, target, runIds: [run] });
    await trial.step();

    demandSame(await trial.get(copy(run)), onThread(target), "The result of a copied run");
    demandSame(await trial.get(run), onThread(source), "The result of the run that was copied");
  },

  "nothing but the checkpoint's thread is rewritten, wherever the thread is named": async (
    trial,
  ) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const named = { thread_id: source, text: `on ${source}`, checkpoint: { thread_id: source } };
    const result = (thread: string): RunResult => ({
      values: { ...named, checkpoint_map: { [source]: source } },
      interrupts: { [source]: [{ id: source, value: named }] },
      reply: named,
      checkpoint: {
        thread_id: thread,
        checkpoint_ns: source,
        checkpoint_id: source,
        checkpoint_map: { [source]: source },
      },
    });
    const run = await recorded(trial, source, result(source));
    const copy = await copied(trial, { source, target, runIds: [run] });
    await trial.step();

    demandSame(await trial.get(copy(run)), result(target), "A copied result that names its thread");
  },

  "a copied text is the same to the bit": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const values = {
      half: "x\ud83d",
      nul: "a\u0000b",
      numbers: [5e-324, 0.1 + 0.2, 1e21, 2 ** 53],
      order: { b: 1, "10": 2, a: 3, "2": 4 },
      json: '{"a":1}',
    };
    const run = await recorded(trial, source, { values, reply: "10.5" });
    const copy = await copied(trial, { source, target, runIds: [run] });
    await trial.step();

    const found = await trial.get(copy(run));
    demandSame(found, { values, reply: "10.5" }, "A copied result");
    demandSame(
      JSON.stringify(found),
      JSON.stringify({ values, reply: "10.5" }),
      "The text of a copied result",
    );
  },

  "a checkpoint on another thread stays there": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread("elsewhere"));
    const copy = await copied(trial, { source, target, runIds: [run] });
    await trial.step();

    demandSame(await trial.get(copy(run)), onThread("elsewhere"), "A copy's checkpoint elsewhere");
  },

  "a copy of a thread's runs has the results that they have, and no others": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const full = await recorded(trial, source, onThread(source));
    const none = (await trial.newRun({ threadId: source })).runId;
    const bare = await recorded(trial, source, bareResult("bare"));
    const unknown = newId("run");
    const nullish = await recorded(trial, source, { values: null, reply: null });

    const runIds = [full, none, bare, unknown, nullish];
    const copy = await copied(trial, { source, target, runIds });
    await trial.step();

    demandSame(await trial.get(copy(full)), onThread(target), "The copy of a full result");
    demandSame(await trial.get(copy(none)), null, "The copy of a run without a result");
    demandSame(await trial.get(copy(bare)), bareResult("bare"), "The copy of bare values");
    demandSame(await trial.get(copy(unknown)), null, "The copy of an unknown run");
    demandSame(
      await trial.get(copy(nullish)),
      { values: null, reply: null },
      "The copy of a null result",
    );
  },

  "a copy of a copy is one": async (trial) => {
    const [first, second, third] = [
      await trial.newThread(),
      await trial.newThread(),
      await trial.newThread(),
    ];
    const run = await recorded(trial, first, onThread(first));
    const copy = await copied(trial, { source: first, target: second, runIds: [run] });
    await trial.step();
    await trial.deleteThread(first);
    const again = await copied(trial, { source: second, target: third, runIds: [copy(run)] });
    await trial.step();
    await trial.deleteThread(second);
    await trial.step();

    demandSame(await trial.get(again(copy(run))), onThread(third), "The copy of a copy");
  },

  "a copy outlives its source, and the source its copy": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const one = await recorded(trial, source, onThread(source));
    const other = await recorded(trial, source, fullResult("other"));
    const copy = await copied(trial, { source, target, runIds: [one, other] });

    await trial.deleteRun(copy(other));
    await trial.step();
    demandSame(await trial.get(other), fullResult("other"), "The source of a deleted copy");
    await trial.deleteThread(source);
    await trial.step();
    demandSame(await trial.get(copy(one)), onThread(target), "The copy of a deleted source");
    demandSame(await trial.get(one), null, "The result of a deleted source");
  },

  "what becomes of the source later does not reach its copy": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const { runId } = await trial.newRun({ threadId: source, status: "running" });
    const copy = await copied(trial, { source, target, runIds: [runId] });
    const before = await trial.row(copy(runId));

    await trial.record(runId, fullResult("late"));
    await trial.setStatus(runId, "error");
    await trial.step();

    demandSame(await trial.get(copy(runId)), null, "The copy of a run that had no result yet");
    demandSame(await trial.row(copy(runId)), before, "The row of a copy whose source ended later");
  },

  "a copy that has a result keeps it": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    for (const first of [bareResult("own"), { values: null }]) {
      const run = await recorded(trial, source, onThread(source));
      const own = await recorded(trial, target, first);
      await trial.copy(copyOf(source, target, [{ from: run, to: own }]));
      await trial.step();

      demandSame(await trial.get(own), first, "A target that had a result of its own");
    }
  },

  "copying the results again changes nothing": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const copy = await copied(trial, { source, target, runIds: [run] });
    await trial.copy(copyOf(source, target, [{ from: run, to: copy(run) }]));
    await trial.step();

    demandSame(await trial.get(copy(run)), onThread(target), "A result that was copied twice");
  },

  "a target that is not there is left, and a copy of no runs is a quiet no-op": async (trial) => {
    const source = await trial.newThread();
    const target = await trial.newThread();
    const run = await recorded(trial, source, onThread(source));
    const { runId } = await trial.newRun({ threadId: target });
    const gone = newId("run");

    await trial.copy(copyOf(source, target, []));
    await trial.copy(
      copyOf(source, target, [
        { from: run, to: gone },
        { from: run, to: runId },
      ]),
    );
    await trial.step();

    demandSame(await trial.get(gone), null, "A copy that was not created");
    demandSame(await trial.row(gone), null, "The row of a copy that was not created");
    demandSame(await trial.get(runId), onThread(target), "The copy beside one that is not there");
  },
};
