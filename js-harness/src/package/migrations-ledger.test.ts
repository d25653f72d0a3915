// The package's migrations: what the runner applies of which list, and that the compiled modules agree
// with their SQL.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { migrateSqlite, type SqlMigration } from "skein-results/sqlite";

import { ASSETS, compiled } from "../../../scripts/compile-migrations.mjs";

const list = (...names: string[]): SqlMigration[] =>
  names.map((name) => ({ name, up: `CREATE TABLE "${name}" (id)`, down: `DROP TABLE "${name}"` }));

/** What is applied to a database that holds `applied` already. */
async function pending(lists: SqlMigration[][], applied: string[]): Promise<string[]> {
  const database = new Database(":memory:");
  await migrateSqlite(database, [list(...applied)]);
  return migrateSqlite(database, lists);
}

describe("the ledger of migrations", () => {
  const host = list("0001_init", "0002_more");
  const results = list("0001_run_results");

  it("gives an empty database every list, in order", async () => {
    expect(await pending([host, results], [])).toEqual([
      "0001_init",
      "0002_more",
      "0001_run_results",
    ]);
  });

  it("lets each list grow after the other has been applied", async () => {
    expect(await pending([host, results], ["0001_init", "0001_run_results"])).toEqual([
      "0002_more",
    ]);
    const grown = [...results, ...list("0002_results_index")];
    expect(await pending([host, grown], ["0001_init", "0001_run_results", "0002_more"])).toEqual([
      "0002_results_index",
    ]);
  });

  it("leaves alone what a newer build has applied", async () => {
    const applied = ["0001_init", "0002_more", "0001_run_results", "0003_newer"];
    expect(await pending([host, results], applied)).toEqual([]);
  });

  it("refuses a list that was reordered or whose released migration was renamed", async () => {
    const applied = ["0001_init", "0002_more"];
    const refused = { name: "SkeinResultsError", code: "migration_order" };

    await expect(pending([host.toReversed()], applied)).rejects.toMatchObject(refused);
    const renamed = [list("0001_start", "0002_more")];
    await expect(pending(renamed, applied)).rejects.toMatchObject(refused);
  });
});

describe("the compiled migrations", () => {
  it.each(ASSETS.map((target) => target.asset))("%s agrees with its SQL", async (asset) => {
    const target = ASSETS.find((candidate) => candidate.asset === asset);
    const path = fileURLToPath(new URL(`../../../${asset}`, import.meta.url));
    expect(await readFile(path, "utf8")).toBe(target && compiled(target));
  });
});
