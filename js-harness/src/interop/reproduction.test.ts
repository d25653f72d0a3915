// The report and the table that `npm run reproduce` makes, and what its exit code stands for.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import harness from "../../package.json" with { type: "json" };

import type { GateRow } from "./gate.js";
import { withMemory, withSqliteFile } from "./gate-stores.js";
import {
  isReproduced,
  reproduce,
  tableOf,
  writeReport,
  type Reproduction,
} from "./reproduction.js";

describe("the reproduction on memory and on an SQLite file", () => {
  let reproduction: Reproduction;
  beforeAll(async () => {
    reproduction = await reproduce([withMemory, withSqliteFile]);
  });

  it("is reported with the version of the SDK and a row for each store and mode", async () => {
    const folder = await mkdtemp(join(tmpdir(), "skein-report-"));
    const path = join(folder, "reports", "reproduce.json");
    await writeReport(path, reproduction);
    const report = JSON.parse(await readFile(path, "utf8")) as unknown;
    await rm(folder, { recursive: true });

    const first = [{ data: { value: "echo: first" } }];
    const rowsOf = (store: string, reopened: boolean) => [
      {
        ...{ store, mode: "baseline-latest", reopened, sent: first },
        ...{ fetched: [{ data: { value: "echo: second" } }], equal: false },
      },
      { store, mode: "baseline-checkpoint", reopened, sent: first, fetched: [], equal: false },
      { store, mode: "results", reopened, sent: first, fetched: first, equal: true },
    ];
    expect(report).toStrictEqual({
      sdk: harness.dependencies["@a2a-js/sdk"],
      rows: [...rowsOf("memory", false), ...rowsOf("sqlite", true)],
    });
  });

  it("is shown with the answers as they are on the wire", () => {
    const lines = tableOf(reproduction).split("\n");
    expect(lines).toHaveLength(8);
    expect(lines[0]).toMatch(/^store +\| mode +\| answer sent +\| answer fetched +\| verdict$/);
    expect(lines[3]).toMatch(
      /^memory \(cannot reopen\) \| baseline-checkpoint .*\| no artifact +\| LOST/,
    );
    expect(lines[7]).toBe(
      'sqlite, reopened       | results             | {"data":{"value":"echo: first"}} | {"data":{"value":"echo: first"}}  | kept',
    );
  });

  it("stands only if every row is as recorded", () => {
    expect(isReproduced(reproduction)).toBe(true);
    expect(isReproduced({ ...reproduction, rows: [] })).toBe(false);
    for (const [index, row] of reproduction.rows.entries()) {
      const changed = { ...row, fetched: [...row.fetched, { text: "one more" }] };
      const rows = reproduction.rows.with(index, changed);
      expect(isReproduced({ ...reproduction, rows }), row.mode).toBe(false);
    }
  });

  it("says of a row that is not as recorded that it is not", () => {
    const rows = reproduction.rows.map((row): GateRow => ({ ...row, fetched: row.sent }));
    const verdicts = tableOf({ ...reproduction, rows })
      .split("\n")
      .slice(2);
    expect(verdicts.filter((line) => line.endsWith("NOT AS RECORDED"))).toHaveLength(4);
  });
});
