// Cases P-01 and Q-05, in the short form of what `npm run race` does in thirty rounds.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteFiles, type Databases } from "../crash/databases.js";
import { FOUND, raceMigrations } from "../race/migrations.js";
import { childProgram, type ChildProgram } from "../testing/child-program.js";

const ROUNDS = 5;
/** Many processes, on a machine that may be busy. */
const LONG_MS = 300_000;

let program: ChildProgram;
beforeAll(async () => {
  program = await childProgram(new URL("programs/migrate.ts", import.meta.url));
});
afterAll(() => program.remove());

describe.each([
  ["SQLite", sqliteFiles],
  ["Postgres", postgresDatabases],
])("six processes that migrate at once on %s, one of them killed", (_name, open) => {
  let databases: Databases;
  beforeAll(async () => {
    databases = await open();
  });
  afterAll(() => databases.close());

  it.each(FOUND)(
    "leave %s as one process does",
    async (found) => {
      const report = await raceMigrations({ program, databases, found, rounds: ROUNDS });

      expect(report.violations).toEqual([]);
      expect(report.rounds).toBe(ROUNDS);
    },
    LONG_MS,
  );
});
