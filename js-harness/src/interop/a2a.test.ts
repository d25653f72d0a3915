// The gate as a test: the baseline fails on every store in exactly the way it does, and with the
// package the same script passes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import { MODES, runGate, type GateRow, type GateSteps, type Mode } from "./gate.js";
import { withMemory, withPostgres, withSqliteFile, type WithGateStore } from "./gate-stores.js";
import { FETCHED, isAsRecorded, isSameAnswer } from "./verdict.js";

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const STORES: Record<string, WithGateStore> = {
  memory: withMemory,
  sqlite: withSqliteFile,
  postgres: (use) => withPostgres(postgres.url)(use),
};

const FIRST = [{ data: { value: "echo: first" } }];

const ENDS: Record<Mode, string> = {
  "baseline-latest": "fetches the second answer from the thread's latest state",
  "baseline-checkpoint": "fetches no artifact once the run's checkpoint is pruned",
  results: "fetches the first answer",
};

describe.each(Object.keys(STORES))("the first task, on %s", (store) => {
  it.each(MODES)("%s", async (mode) => {
    const row = await STORES[store]?.((opened) => runGate(opened, mode));
    expect(row, ENDS[mode]).toStrictEqual({
      store,
      mode,
      reopened: store !== "memory",
      sent: FIRST,
      fetched: FETCHED[mode],
      equal: mode === "results",
    });
  });

  // The baseline is not made to fail: it answers rightly until the step that takes its source away.
  it.each<[Mode, string, GateSteps]>([
    ["baseline-latest", "no second turn", { secondTurn: false, prune: true }],
    ["baseline-checkpoint", "no prune", { secondTurn: true, prune: false }],
  ])("%s keeps the first answer where there is %s", async (mode, _name, steps) => {
    const row = await STORES[store]?.((opened) => runGate(opened, mode, steps));
    expect(row).toMatchObject({ mode, sent: FIRST, fetched: FIRST, equal: true });
  });
});

describe("the comparison of answers", () => {
  const data = { data: { value: "echo: first", n: [0, false, null] } };

  it("accepts the same parts", () => {
    expect(isSameAnswer([data, { text: "" }], [structuredClone(data), { text: "" }])).toBe(true);
  });

  it.each<[string, unknown[], unknown[]]>([
    ["nothing was sent", [], []],
    ["nothing is fetched", [data], []],
    ["a part is missing", [data, { text: "more" }], [data]],
    ["a part is added", [data], [data, { text: "more" }]],
    ["the parts are in another order", [data, { text: "more" }], [{ text: "more" }, data]],
    ["the part is of another kind", [{ text: "1" }], [{ data: "1" }]],
    ["a value has another type", [{ data: { n: 1 } }], [{ data: { n: "1" } }]],
    ["a falsy value is another one", [{ data: [0] }], [{ data: [false] }]],
    ["a member is missing", [data], [{ data: { value: "echo: first" } }]],
    ["the media type differs", [{ text: "a", mediaType: "text/plain" }], [{ text: "a" }]],
    ["the metadata differ", [{ text: "a", metadata: { k: 1 } }], [{ text: "a", metadata: {} }]],
    ["the file name differs", [{ raw: "YQ==", filename: "a" }], [{ raw: "YQ==", filename: "b" }]],
  ])("refuses them where %s", (_name, sent, fetched) => {
    expect(isSameAnswer(sent, fetched)).toBe(false);
  });
});

describe("the verdict", () => {
  const passing: GateRow = {
    store: "memory",
    mode: "results",
    reopened: false,
    sent: FIRST,
    fetched: FIRST,
    equal: true,
  };

  it("accepts the rows that were recorded", () => {
    expect(isAsRecorded(passing)).toBe(true);
    const failing = { ...passing, mode: "baseline-latest" as const, equal: false };
    expect(isAsRecorded({ ...failing, fetched: [{ data: { value: "echo: second" } }] })).toBe(true);
  });

  it("refuses an empty first answer, another fetched one, and a baseline that passes", () => {
    expect(isAsRecorded({ ...passing, sent: [], fetched: [] })).toBe(false);
    expect(isAsRecorded({ ...passing, fetched: [{ data: { value: "echo: second" } }] })).toBe(
      false,
    );
    expect(isAsRecorded({ ...passing, fetched: [{ text: "echo: first" }] })).toBe(false);
    expect(isAsRecorded({ ...passing, mode: "baseline-latest" })).toBe(false);
    expect(isAsRecorded({ ...passing, mode: "baseline-checkpoint" })).toBe(false);
  });
});
