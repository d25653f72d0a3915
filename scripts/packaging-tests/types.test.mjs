// The types resolve for a TypeScript user, in both module forms, with every declaration checked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { ENTRIES, Project } from "./tarball.mjs";

const SOURCE = `
import { isSkeinResultsError, resultMethods, RunSettlement, type ResultDriver, type RunResult } from "skein-results";
import { memoryDriver } from "skein-results/memory";
import { sqliteDriver, sqliteMigrations } from "skein-results/sqlite";
import { postgresDriver } from "skein-results/postgres";
import { createA2AHandler, type A2AHost } from "skein-results/a2a";

const own: ResultDriver = { record: () => undefined, read: () => null };
const optional = resultMethods(own).settleRun;
const methods = resultMethods(memoryDriver({ runs: new Map<string, { status: "running" }>() }));
export const settle: NonNullable<typeof optional> = methods.settleRun;
export const result: RunResult = { values: {}, interrupts: { task: [{ id: "i", value: 1 }] } };
export const settled = new RunSettlement(methods, { runId: "r", kwargs: {} }).settle(
  { end: "finished", status: "success", result },
  async () => undefined,
);
export const names: string[] = sqliteMigrations.map(({ name }) => name);
export type Host = A2AHost;
export { createA2AHandler, isSkeinResultsError, postgresDriver, sqliteDriver };
// @ts-expect-error a run does not finish as an error
export const wrong = { end: "finished", status: "error", result } satisfies Parameters<RunSettlement["settle"]>[0];
`;

const EVERY_ENTRY = ENTRIES.map(
  (entry, index) => `export * as entry${index} from "${entry}";`,
).join("\n");

let project;
before(() => {
  project = new Project();
});
after(() => project.remove());

for (const [form, file] of [
  ["an ES module", "user.mts"],
  ["a CommonJS module", "user.cts"],
]) {
  test(`for ${form} under nodenext, without skipLibCheck`, () => {
    const every = file.replace("user", "every-entry");
    project.write(file, SOURCE);
    project.write(every, EVERY_ENTRY);
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ["node"],
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file, every] }));
    assert.equal(project.run("node_modules/typescript/bin/tsc", "-p", "tsconfig.json"), "");
  });
}
