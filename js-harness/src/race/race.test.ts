// The short form of `npm run race`.

import { afterAll, beforeAll, expect, it } from "vitest";

import { childProgram, type ChildProgram } from "../testing/child-program.js";
import { freshDatabase, startPostgres, type PostgresServer } from "../testing/postgres-server.js";

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
