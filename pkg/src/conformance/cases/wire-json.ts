// A stored result is what the host puts on the wire, exactly (contract 2).

import type { CaseList } from "../case.js";
import type { Trial } from "../trial.js";
import { demand, demandSame } from "../violation.js";
import {
  EMPTY_VALUES,
  JSON_HAS_NO_PLACE,
  NUMBERS,
  OBJECTS_OF_CLASSES,
  ODD_KEYS,
  ODD_TEXTS,
  OMITTED,
  SELF_MADE,
  TEXTS_THAT_LOOK_LIKE_JSON,
  type WireSample,
} from "../wire-samples.js";

export const wireJson: CaseList = {
  "what JSON has no place for becomes null or is left out, as on the wire": (trial) =>
    demandOnTheWire(trial, JSON_HAS_NO_PLACE),

  "an object of a class is stored as JSON writes it": (trial) =>
    demandOnTheWire(trial, OBJECTS_OF_CLASSES),

  "an object is stored as its toDict or its toJSON says, at every place": (trial) =>
    demandOnTheWire(trial, SELF_MADE),

  "a text comes back as it is, lone surrogates and NUL included": (trial) =>
    demandOnTheWire(trial, ODD_TEXTS),

  "a text that looks like JSON stays a text": (trial) =>
    demandOnTheWire(trial, TEXTS_THAT_LOOK_LIKE_JSON),

  "an empty or false value is a value": (trial) => demandOnTheWire(trial, EMPTY_VALUES),

  "a key comes back as a key, __proto__ included": (trial) => demandOnTheWire(trial, ODD_KEYS),

  "a number comes back to the bit": (trial) => demandOnTheWire(trial, NUMBERS),

  "the keys of an object keep their order": async (trial) => {
    const { runId } = await trial.newRun();
    const values = {
      b: 1,
      "10": 2,
      a: 3,
      "2": 4,
      nested: { z: 1, y: 2, aa: 3, b: [{ d: 1, c: 2 }] },
    };
    await trial.record(runId, { values });
    await trial.step();

    demandSame(
      JSON.stringify((await trial.get(runId))?.values),
      JSON.stringify(values),
      "The text of the values",
    );
  },

  "a member that is absent stays absent, and one that is null stays null": async (trial) => {
    const absent = await trial.newRun();
    await trial.record(absent.runId, { values: 1, interrupts: undefined, reply: undefined });
    const isNull = await trial.newRun();
    const nulls = { values: null, interrupts: null, reply: null, checkpoint: null };
    await trial.record(isNull.runId, nulls);
    const empty = await trial.newRun();
    const empties = { values: {}, interrupts: {}, reply: "", checkpoint: {} };
    await trial.record(empty.runId, empties);
    await trial.step();

    demandSame(await trial.get(absent.runId), { values: 1 }, "A result with absent members");
    demandSame(await trial.get(isNull.runId), nulls, "A result with members that are null");
    demandSame(await trial.get(empty.runId), empties, "A result with empty members");
  },

  "values that JSON leaves out are null": async (trial) => {
    for (const values of [undefined, () => 1, { toJSON: () => undefined }]) {
      const { runId } = await trial.newRun();
      await trial.record(runId, { values });
      await trial.step();

      demandSame(await trial.get(runId), { values: null }, "A result whose values are left out");
    }
  },

  "a member that no result has is not kept": async (trial) => {
    const { runId } = await trial.newRun();
    await trial.record(runId, { values: 1, status: "success", __proto__: { reply: 1 } });
    await trial.step();

    demandSame(await trial.get(runId), { values: 1 }, "A result with more members");
  },

  "toJSON is asked under its own key": async (trial) => {
    const { runId } = await trial.newRun();
    const asked = { toJSON: (key: string) => ({ key }) };
    await trial.record(runId, { values: asked, interrupts: { t1: [asked] }, reply: [asked] });
    await trial.step();

    demandSame(
      await trial.get(runId),
      { values: { key: "values" }, interrupts: { t1: [{ key: "0" }] }, reply: [{ key: "0" }] },
      "The keys that toJSON is asked under",
    );
  },

  "interrupts keep their order, and those that are equal stay two": async (trial) => {
    const { runId } = await trial.newRun();
    const first = { id: "i1", value: { question: "now?" } };
    const interrupts = { t2: [first, { id: "i2", value: null }, first, {}], t1: [] };
    await trial.record(runId, { values: {}, interrupts });
    await trial.step();

    demandSame(await trial.get(runId), { values: {}, interrupts }, "A result with interrupts");
  },

  "a large result comes back whole": async (trial) => {
    const { runId } = await trial.newRun();
    const values = {
      text: "0123456789abcde\u{1f600}".repeat(130_000),
      list: Array.from({ length: 30_000 }, (_, index) => ({ index })),
      keys: Object.fromEntries(
        Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index]),
      ),
    };
    await trial.record(runId, { values, reply: values.text });
    await trial.step();

    const found = await trial.get(runId);
    demand(found !== null, "A large result must be read.");
    demandSame(found, { values, reply: values.text }, "A large result");
  },

  "a deep result comes back whole": async (trial) => {
    const { runId } = await trial.newRun();
    let values: unknown = "the bottom";
    for (let level = 0; level < 400; level += 1) values = [{ level, next: values }];
    await trial.record(runId, { values });
    await trial.step();

    demandSame(await trial.get(runId), { values }, "A result of 800 levels");
  },
};

/** Each sample in each member. */
async function demandOnTheWire(trial: Trial, samples: readonly WireSample[]): Promise<void> {
  const threadId = await trial.newThread();
  const recorded: { runId: string; sample: WireSample }[] = [];
  for (const sample of samples) {
    const { runId } = await trial.newRun({ threadId });
    await trial.record(runId, {
      values: { held: sample.make(), list: [sample.make()] },
      interrupts: { t1: [{ id: "i1", value: sample.make() }] },
      reply: sample.make(),
    });
    recorded.push({ runId, sample });
  }
  await trial.step();

  for (const { runId, sample } of recorded) {
    demandSame(await trial.get(runId), onTheWire(sample), `A result that holds ${sample.name}`);
  }
}

function onTheWire({ wire }: WireSample): unknown {
  const isLeftOut = wire === OMITTED;
  return {
    values: isLeftOut ? { list: [null] } : { held: wire, list: [wire] },
    interrupts: { t1: [isLeftOut ? { id: "i1" } : { id: "i1", value: wire }] },
    ...(isLeftOut ? {} : { reply: wire }),
  };
}
