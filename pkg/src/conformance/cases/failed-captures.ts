// A result that cannot be carried fails as a whole, with an error, and leaves nothing (contract 3).

import type { CaseList } from "../case.js";
import { fullResult } from "../sample-results.js";
import type { Trial } from "../trial.js";
import { demand, demandFailure, demandSame } from "../violation.js";

export const failedCaptures: CaseList = {
  "a value that JSON cannot carry fails the record, and nothing is stored": async (trial) => {
    for (const [name, make] of Object.entries(UNCARRIABLE)) {
      for (const result of inEveryMember(make)) {
        const { runId } = await trial.newRun();
        await demandFailure(trial.record(runId, result), ["not_serializable"], name);
        await demandNothingLeft(trial, runId, name);
      }
    }
  },

  "a value nested too deep fails the record, and nothing is stored": async (trial) => {
    for (const levels of [1_500, 5_000, 20_000]) {
      for (const result of inEveryMember(() => nested(levels))) {
        const { runId } = await trial.newRun();
        const what = `A value of ${levels} levels`;
        await demandFailure(trial.record(runId, result), ["too_deep"], what);
        await demandNothingLeft(trial, runId, what);
      }
    }
  },

  "what is no result fails the record, and nothing is stored": async (trial) => {
    for (const none of [null, undefined, 1, "text", [], {}, { reply: 1 }]) {
      const { runId } = await trial.newRun();
      await demandFailure(trial.record(runId, none), ["invalid_result"], "What is no result");
      await demandNothingLeft(trial, runId, "What is no result");
    }
  },

  "a failure after a first result leaves the first": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, fullResult("first"));
    await demandFailure(trial.record(runId, { values: 1n }), ["not_serializable"], "A BigInt");
    await trial.step();

    demandSame(await trial.get(runId), fullResult("first"), "A result after a failed record");
  },

  "a failure is told even where the run is unknown": async (trial) => {
    await demandFailure(trial.record("no-run", { values: 1n }), ["not_serializable"], "A BigInt");
  },
};

/** Values that the host's serializer throws at, made anew each time. */
const UNCARRIABLE: Readonly<Record<string, () => unknown>> = {
  "A BigInt": () => 5n,
  "A boxed BigInt": () => Object(1n) as unknown,
  "An object that holds itself": () => {
    const own: Record<string, unknown> = {};
    return Object.assign(own, { own });
  },
  "Two objects that hold each other": () => {
    const [one, other]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
    return Object.assign(one, { other: Object.assign(other, { one }) });
  },
  "An array that holds itself": () => {
    const list: unknown[] = [];
    list.push([list]);
    return list;
  },
  "A toJSON that answers its parent": () => {
    const parent: Record<string, unknown> = {};
    parent["child"] = { toJSON: () => parent };
    return parent;
  },
  "A getter that throws": () => ({
    get x(): never {
      throw new Error("the getter threw");
    },
  }),
  "A toJSON that throws": () => ({
    toJSON(): never {
      throw new Error("toJSON threw");
    },
  }),
  "A toDict that throws": () => ({
    toDict(): never {
      throw new Error("toDict threw");
    },
  }),
  "A revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

/** Results with the value in one member after the other, and what can be carried in the rest. */
function inEveryMember(make: () => unknown): unknown[] {
  return [
    { ...fullResult("carried"), values: { kept: 1, held: make() } },
    { ...fullResult("carried"), interrupts: { task: [{ id: "i", value: make() }] } },
    { ...fullResult("carried"), reply: make() },
    { ...fullResult("carried"), checkpoint: { thread_id: "t", held: make() } },
  ];
}

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

async function demandNothingLeft(trial: Trial, runId: string, what: string): Promise<void> {
  await trial.step();
  demandSame(await trial.get(runId), null, `${what} was refused, and the result`);
  demand(
    (await trial.row(runId)) !== null,
    `${what} was refused, and the run must be there still.`,
  );
  await trial.record(runId, fullResult("next"));
  demandSame(await trial.get(runId), fullResult("next"), `The next result after a failure`);
}
