// Calls on one handle that overlap, and calls from inside a driver that is being called: each of them is
// answered, as if it were alone.

import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";

import {
  markRun,
  mergeResults,
  renderTask,
  resultMethods,
  serializeWireJson,
  type ResultDriver,
  type ResultMethods,
} from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { describe, expect, it } from "vitest";

const RUNS = 100;
const idOf = (index: number) => `run-${index}`;
const resultOf = (index: number) => ({
  values: { index, nested: [{ index }] },
  interrupts: { task: [{ id: "i", value: index }] },
});

/** Something that a driver does before it does what it is for. */
type Meanwhile = () => unknown;

/** A memory driver of which each primitive is called in the way that is given. */
function drivenBy(way: (call: () => unknown) => unknown): ResultDriver {
  const runs = new Map(
    Array.from({ length: RUNS }, (_, index) => [idOf(index), { status: "running" as const }]),
  );
  const own = memoryDriver({ runs });
  const inThatWay = ([name, primitive]: [string, unknown]) => [
    name,
    typeof primitive === "function"
      ? (...given: unknown[]) => way(() => Reflect.apply(primitive, own, given) as unknown)
      : primitive,
  ];
  const primitives: unknown = Object.fromEntries(Object.entries(own).map(inThatWay));
  return primitives as ResultDriver;
}

/** One of everything about one run. */
async function everything(methods: ResultMethods, index: number): Promise<void> {
  const run = idOf(index);
  const result = resultOf(index);
  const copied = mergeResults({ results: [[run, { values: { later: true } }]] });
  const [, read] = await Promise.all([
    methods.recordResult(run, result),
    methods.getResult(run),
    methods.recordResult(run, { values: { later: true } }),
    methods.attachResults(copied),
    methods.settleRun?.(run, { status: "success", result }),
    methods.cancelRun?.(run),
    methods.exportResults([run, "no-run"]),
    methods.copyResults({ sourceThread: "a", targetThread: "b", runs: [{ from: run, to: run }] }),
    methods.recordResult(run, { values: 5n } as never).catch((error: unknown) => error),
  ]);
  expect([null, JSON.stringify(result)]).toContain(read && JSON.stringify(read));
  expect(await methods.getResult(run)).toEqual(result);
}

const WAYS: Readonly<Record<string, (call: () => unknown) => unknown>> = {
  "answers at once": (call) => call(),
  "answers in the same tick": (call) => Promise.resolve().then(call),
  "works first and answers later": (call) => {
    const answer = call();
    return delay(5).then(() => answer);
  },
};

describe.each(Object.entries(WAYS))("on a driver that %s", (_name, way) => {
  it("a hundred times everything at once is answered", async () => {
    const methods = resultMethods(drivenBy(way));
    await Promise.all(Array.from({ length: RUNS }, (_, index) => everything(methods, index)));
  });

  it.each<[string, (meanwhile: Meanwhile) => Meanwhile]>([
    ["at once", (meanwhile) => meanwhile],
    ["a tick later", (meanwhile) => () => Promise.resolve().then(meanwhile)],
    ["in a later turn", (meanwhile) => () => nextTick().then(meanwhile)],
  ])("a driver that calls the same handle %s is answered", async (_when, later) => {
    const insides: unknown[] = [];
    let depth = 0;
    const meanwhile = later(() => {
      // Each call from inside may call again, and not for ever.
      if (depth >= 3) return undefined;
      depth += 1;
      const inside = Promise.all([
        methods.getResult(idOf(0)),
        methods.recordResult(idOf(1), resultOf(1)),
        methods.exportResults([idOf(0)]),
      ]);
      insides.push(inside, serializeWireJson({ inside: true }), shown());
      depth -= 1;
      return undefined;
    });
    const methods: ResultMethods = resultMethods(
      drivenBy((call) => {
        const first = depth < 1 ? meanwhile() : undefined;
        return first instanceof Promise ? first.then(() => way(call)) : way(call);
      }),
    );

    await methods.recordResult(idOf(0), resultOf(0));
    await methods.settleRun?.(idOf(2), { status: "success", result: resultOf(2) });

    expect(insides.length).toBeGreaterThan(0);
    await Promise.all(insides);
    for (const index of [0, 1, 2]) {
      expect(await methods.getResult(idOf(index))).toEqual(resultOf(index));
    }
  });
});

it("a value that records another while it is written is written as it is", async () => {
  const methods = resultMethods(drivenBy((call) => call()));
  const inner: Promise<void>[] = [];
  const calling = (index: number): Record<string, unknown> => ({
    before: [1],
    get inside() {
      inner.push(
        methods.recordResult(idOf(index), { values: index < 8 ? calling(index + 1) : {} }),
      );
      return { index };
    },
    toJSON(this: { before: unknown; inside: unknown }) {
      inner.push(methods.recordResult(idOf(index + 20), resultOf(index)));
      return { before: this.before, inside: this.inside, after: { a: [serializeWireJson([1])] } };
    },
  });

  await methods.recordResult(idOf(0), { values: { list: [calling(1)], last: true } });
  await Promise.all(inner);

  const written = (index: number) => ({ before: [1], inside: { index }, after: { a: ["[1]"] } });
  expect(await methods.getResult(idOf(0))).toEqual({
    values: { list: [written(1)], last: true },
  });
  for (let index = 1; index < 8; index += 1) {
    expect(await methods.getResult(idOf(index))).toEqual({ values: written(index + 1) });
    expect(await methods.getResult(idOf(index + 20))).toEqual(resultOf(index));
  }
});

function shown(): unknown {
  const mark = { root: "r", turn: 0, message: null };
  markRun({}, mark);
  const run = {
    run_id: "r",
    thread_id: "t",
    status: "success",
    kwargs: {},
    updated_at: "2026-01-01T00:00:00.000Z",
  };
  return renderTask({ run, mark, result: resultOf(0), movedOn: false } as never);
}
