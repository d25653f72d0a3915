// The gate as a test: the baseline fails on every store in exactly the way it does, and with the
// package the same script passes.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startPostgres, type PostgresServer } from "../testing/postgres-server.js";

import { MODES, runGate, type GateRow, type Mode } from "./gate.js";
import { withMemory, withPostgres, withSqliteFile, type WithGateStore } from "./gate-stores.js";
import { FETCHED, isAsRecorded } from "./verdict.js";

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

const ENDS: Record<Mode, string> = {
  "baseline-latest": "fetches the second answer from the thread's latest state",
  "baseline-checkpoint": "fetches no artifact once the run's checkpoint is pruned",
  results: "fetches the first answer",
};

describe.each(Object.keys(STORES))("the first task, on %s", (store) => {
  it.each(MODES)("%s", async (mode) => {
    const row = await STORES[store]?.((opened) => runGate(opened, mode));
    expect(row, ENDS[mode]).toMatchObject({
      store,
      mode,
      reopened: store !== "memory",
      sent: [{ data: { value: "echo: first" } }],
      fetched: FETCHED[mode],
      equal: mode === "results",
    });
  });
});

describe("the verdict", () => {
  const passing: GateRow = {
    store: "memory",
    mode: "results",
    reopened: false,
    sent: [{ data: { value: "echo: first" } }],
    fetched: [{ data: { value: "echo: first" } }],
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
