// What a task costs beside time, as the README's table has it.

import { expect, it } from "vitest";

import { onEachStore } from "./agents.js";
import { factsOn } from "./facts.js";

it("a task costs the statements and the bytes that the README tells", async () => {
  const [onSqlite, onPostgres] = await onEachStore(factsOn);

  // One less where the run has ended before it is waited for.
  expect(onSqlite?.ours.send.statements).toBeLessThanOrEqual(17);
  expect(onPostgres?.ours.send.statements).toBeLessThanOrEqual(20);
  expect(onPostgres?.ours.send.statements).toBeGreaterThan(9);
  for (const facts of [onSqlite, onPostgres]) {
    expect(facts?.theirs.send.statements).toBe(9);
    expect(facts?.ours.getTask).toMatchObject({ statements: 1, writes: 0 });
    expect(facts?.theirs.getTask).toMatchObject({ statements: 1, writes: 0 });
    expect(Math.round((facts?.ours.send.bytesWritten ?? 0) / 1024)).toBe(127);
    expect(Math.round((facts?.theirs.send.bytesWritten ?? 0) / 1024)).toBe(254);
  }
});
