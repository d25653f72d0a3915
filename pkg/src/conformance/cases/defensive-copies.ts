// What a caller does to its objects changes nothing stored (contract 2).

import type { RunResult } from "../../wasm/shapes.js";
import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import { demand, demandSame } from "../violation.js";

export const defensiveCopies: CaseList = {
  "a change right after recordResult was called changes nothing stored": async (trial) => {
    const { runId } = await trial.newRun();
    const result = fullResult("first");

    const recorded = trial.record(runId, result);
    spoil(result);
    await recorded;
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "A result that was changed at once");
  },

  "a change after recordResult was done changes nothing stored": async (trial) => {
    const { runId } = await trial.newRun();
    const result = fullResult("first");

    await trial.record(runId, result);
    spoil(result);

    demandSame(await trial.get(runId), fullResult("first"), "A result that was changed later");
  },

  "a change right after settleRun was called changes nothing stored": async (trial) => {
    const { runId } = await trial.newRun();
    const result = fullResult("first");
    const settle = { status: "success" as const, result };

    const settled = trial.settle(runId, settle);
    spoil(result);
    settle.result = fullResult("second");
    await settled;
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "A result that was changed at once");
  },

  "a change to what getResult returned changes nothing stored": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));

    const [read, meanwhile] = await Promise.all([trial.get(runId), trial.get(runId)]);
    demand(read !== null, "A recorded result must be read.");
    spoil(read);

    demandSame(meanwhile, fullResult("first"), "A result that was read beside a changed one");
    demandSame(await trial.get(runId), fullResult("first"), "A result whose copy was changed");
  },

  "a change to an exported result changes nothing stored": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));

    const [entry] = await trial.exported([runId]);
    demand(entry !== undefined, "A recorded result must be exported.");
    spoil(entry[1]);

    demandSame(await trial.get(runId), fullResult("first"), "A result whose export was changed");
  },

  "an object that stands in several places is an object of its own in each": async (trial) => {
    const { runId } = await trial.newRun();
    const shared = { n: 1 };
    const values = { x: shared, y: shared, list: [shared, shared], deep: { again: shared } };
    await trial.record(runId, { values, reply: shared });
    await trial.step();

    const expected = {
      values: { x: { n: 1 }, y: { n: 1 }, list: [{ n: 1 }, { n: 1 }], deep: { again: { n: 1 } } },
      reply: { n: 1 },
    };
    const read = await trial.get(runId);
    demandSame(read, expected, "A result in which an object stands in several places");
    (read as { values: { x: { n: number } } }).values.x.n = 2;
    expected.values.x.n = 2;
    demandSame(read, expected, "A result one of whose repeated objects was changed");
  },
};

/** Changes every member, deep inside and as a whole. */
function spoil(result: RunResult): void {
  const { values, interrupts, reply, checkpoint } = result as {
    values: Record<string, unknown>;
    interrupts: Record<string, unknown[]>;
    reply: Record<string, unknown>;
    checkpoint: Record<string, unknown>;
  };
  (values["messages"] as { content: string }[]).push({ content: "spoiled" });
  values["answer"] = "spoiled";
  for (const asked of Object.values(interrupts)) asked.length = 0;
  interrupts["spoiled"] = [];
  reply["text"] = "spoiled";
  checkpoint["thread_id"] = "spoiled";
  result.values = { answer: "spoiled" };
  delete result.reply;
}
