// What leads back into itself is refused with its place before anything is written, on every store and
// wherever in a result it is (case N-08).

import type { RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newRun } from "../stores/store-suite/fixtures.js";
import { storeKinds, type StorePlace } from "../stores/testing/store-places.js";

import { hostWireResult } from "./host-serializer.js";
import { CYCLES, NO_CYCLES } from "./values/cycles.js";

/** Where in a result a value may be, by the path that leads to it. */
const PLACES: Readonly<Record<string, (value: unknown) => object>> = {
  values: (value) => ({ values: value }),
  "values.messages[1].kept": (value) => ({ values: { messages: [{}, { kept: value }] } }),
  "interrupts.t1[0].value": (value) => ({
    values: {},
    interrupts: { t1: [{ id: "i1", value }] },
  }),
  reply: (value) => ({ values: {}, reply: value }),
  "checkpoint.checkpoint_map": (value) => ({
    values: {},
    checkpoint: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "c", checkpoint_map: value },
  }),
};

const GOOD: RunResult = { values: { messages: [{ type: "ai", content: "fine" }] }, reply: "fine" };

describe.each(storeKinds)("a result kept by $name", (kind) => {
  let place: StorePlace;
  beforeAll(async () => {
    place = await kind.open();
  });
  afterAll(() => place.close());

  it.each(CYCLES)("cannot have $told in it", async ({ make, at, code }) => {
    const { runs, threads } = place.store;
    const run = await newRun(place.store);
    await runs.setStatus(run.run_id, "running");
    const begun = await runs.get(run.run_id);
    for (const [path, resultWith] of Object.entries(PLACES)) {
      const result = resultWith(make()) as RunResult;
      const writes = [
        () => runs.recordResult(run.run_id, result),
        () => runs.settleRun(run.run_id, { status: "success", result }),
        () => runs.settleRun(run.run_id, { status: "interrupted", result }),
      ];
      for (const write of writes) {
        const failure = (await write().then(
          () => null,
          (error: unknown) => error,
        )) as { code: string; details: { path: string } } | null;

        expect({ path, code: failure?.code }).toEqual({ path, code });
        const found = failure?.details.path ?? "";
        expect(found.slice(0, path.length)).toBe(path);
        if (typeof at === "string") expect(found).toBe(path + at);
        else expect(found.slice(path.length)).toMatch(at);
        expect(await runs.get(run.run_id)).toEqual(begun);
        expect(await runs.getResult(run.run_id)).toBeNull();
        expect((await place.count()).results).toBe(0);
      }
    }

    await runs.settleRun(run.run_id, { status: "success", result: GOOD });
    expect(await runs.getResult(run.run_id)).toEqual(GOOD);
    expect((await place.count()).results).toBe(1);
    await threads.delete(run.thread_id);
  });

  it.each(NO_CYCLES)("has of $told what JSON has", async ({ make, written }) => {
    const { runs, threads } = place.store;
    const run = await newRun(place.store);
    const result = { values: make(), reply: make() } as RunResult;

    await runs.settleRun(run.run_id, { status: "success", result });

    expect(await runs.getResult(run.run_id)).toEqual({ values: written, reply: written });
    expect(hostWireResult(result)).toEqual({ values: written, reply: written });
    await threads.delete(run.thread_id);
  });
});
