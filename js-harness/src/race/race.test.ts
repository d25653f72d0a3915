// The short form of `npm run race`.

import { afterAll, beforeAll, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres, type PostgresServer } from "../testing/postgres-server.js";
import { transactionPooler } from "../testing/transaction-pooler.js";

import { race } from "./race.js";

let program: ChildProgram;
let server: PostgresServer;
beforeAll(async () => {
  program = await childProgram(new URL("programs/race-child.ts", import.meta.url));
  server = await startPostgres();
});
afterAll(async () => {
  await program.remove();
  await server.stop();
});

it("two hosts keep every promise while they work on the same threads", async () => {
  const database = await freshDatabase(server.url);

  const report = await race({ program, url: database.url, seconds: 5 });

  expect(report.violations).toEqual([]);
  expect(report.operations).toBeGreaterThan(20);
  expect(report.looks).toBeGreaterThan(1);
  await database.drop();
}, 300_000);

it("two hosts keep every promise behind a pooler in transaction mode", async () => {
  const database = await freshDatabase(server.url);
  const pooler = await transactionPooler(database.url, 4);

  const report = await race({ program, url: database.url, poolerUrl: pooler.url, seconds: 5 });

  expect(report.violations).toEqual([]);
  expect(report.operations).toBeGreaterThan(20);
  // They did change connections between their transactions.
  expect(pooler.handovers).toBeGreaterThan(report.operations);
  await pooler.close();
  await database.drop();
}, 300_000);
