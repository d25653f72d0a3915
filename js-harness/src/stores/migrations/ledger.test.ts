import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { compileMigrations } from "./generate-migrations.mjs";
import { pendingMigrations, type Migration } from "./ledger.js";

const list = (...names: string[]): Migration[] => names.map((name) => ({ name, up: "", down: "" }));
const pending = (lists: Migration[][], applied: string[]) =>
  pendingMigrations(lists, applied).map(({ name }) => name);

describe("the ledger of migrations", () => {
  const host = list("0001_init", "0002_more");
  const results = list("0001_run_results");

  it("gives an empty database every list, in order", () => {
    expect(pending([host, results], [])).toEqual(["0001_init", "0002_more", "0001_run_results"]);
  });

  it("lets each list grow after the other has been applied", () => {
    expect(pending([host, results], ["0001_init", "0001_run_results"])).toEqual(["0002_more"]);
    const grown = [...results, ...list("0002_results_index")];
    expect(pending([host, grown], ["0001_init", "0001_run_results", "0002_more"])).toEqual([
      "0002_results_index",
    ]);
  });

  it("leaves alone what a newer build has applied", () => {
    const applied = ["0001_init", "0002_more", "0001_run_results", "0003_newer"];
    expect(pending([host, results], applied)).toEqual([]);
  });

  it("refuses a list that was reordered or whose released migration was renamed", () => {
    const applied = ["0001_init", "0002_more"];
    const refused = expect.objectContaining({ code: "migration_order" }) as Error;

    expect(() => pending([host.toReversed()], applied)).toThrow(refused);
    expect(() => pending([list("0001_start", "0002_more")], applied)).toThrow(refused);
  });
});

describe("the compiled migrations", () => {
  it("agree with their SQL sources", async () => {
    const asset = await readFile(new URL("migrations.generated.ts", import.meta.url), "utf8");

    expect(asset).toBe(compileMigrations());
  });
});
