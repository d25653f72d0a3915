// What a client reads of a run holds no result and no mark (contract 6).

import { markRun, RUN_MARK_KEY } from "../../tasks/mark.js";
import { mergeResults } from "../../results/snapshot.js";
import type { CaseList } from "../case.js";
import { newId, type Trial } from "../trial.js";
import { violated } from "../violation.js";

export const ordinaryRows: CaseList = {
  "what a client reads of a run holds nothing of its recorded result": async (trial) => {
    const { runId, canaries } = await markedRun(trial);
    await trial.record(runId, resultOf(canaries));
    await trial.step();
    await demandHidden(trial, runId, canaries);

    await trial.setStatus(runId, "success");
    await trial.step();
    await demandHidden(trial, runId, canaries);
  },

  "what a client reads of a run holds nothing of its settled result": async (trial) => {
    const { runId, canaries } = await markedRun(trial);
    await trial.settle(runId, { status: "interrupted", result: resultOf(canaries) });
    await trial.step();
    await demandHidden(trial, runId, canaries);
  },

  "what a client reads of a cancelled run holds nothing of its result": async (trial) => {
    const { runId, canaries } = await markedRun(trial);
    await trial.record(runId, resultOf(canaries));
    await trial.cancel(runId);
    await trial.step();
    await demandHidden(trial, runId, canaries);
  },

  "what a client reads of a run holds nothing of its imported result": async (trial) => {
    const { runId, canaries } = await markedRun(trial);
    await trial.attach(mergeResults({ results: [[runId, resultOf(canaries)]] }));
    await trial.step();
    await demandHidden(trial, runId, canaries);
  },

  "what a client reads of a run holds nothing of its copied result": async (trial) => {
    const source = await markedRun(trial);
    const target = await markedRun(trial);
    await trial.record(source.runId, resultOf(source.canaries));
    await trial.copy({
      sourceThread: source.threadId,
      targetThread: target.threadId,
      runs: [{ from: source.runId, to: target.runId }],
    });
    await trial.step();
    await demandHidden(trial, target.runId, [...source.canaries, ...target.canaries]);
  },
};

/** A run that the server marked, and texts that no client may read: the last one is in its mark. */
async function markedRun(trial: Trial) {
  const canaries = Array.from({ length: 5 }, () => newId("canary"));
  const runId = newId("run");
  const mark = { root: runId, turn: 0, message: JSON.stringify({ text: canaries[4] }) };
  const { threadId } = await trial.newRun({ runId, kwargs: markRun({ input: "in" }, mark) });
  return { runId, threadId, canaries };
}

/** A result with a canary in every member, one of them as a key. */
function resultOf([values, interrupts, reply, checkpoint]: readonly (string | undefined)[]) {
  return {
    values: { deep: [{ values }], [values ?? ""]: 1 },
    interrupts: { task: [{ id: "i", value: { interrupts } }] },
    reply: { reply },
    checkpoint: { thread_id: "t", checkpoint_ns: "", checkpoint_id: checkpoint },
  };
}

async function demandHidden(
  trial: Trial,
  runId: string,
  canaries: readonly string[],
): Promise<void> {
  const found = textsIn(await trial.readings(runId)).find(
    (text) => text.includes(RUN_MARK_KEY) || canaries.some((canary) => text.includes(canary)),
  );
  if (found === undefined) return;
  const what = found.includes(RUN_MARK_KEY) ? "the server's mark" : "a part of its result";
  violated(`What a client reads of a run must not hold ${what}.`);
}

/** Every key and every text of a value, as JSON writes it. */
function textsIn(value: unknown): string[] {
  return textsOf(JSON.parse(JSON.stringify(value ?? null)));
}

function textsOf(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
