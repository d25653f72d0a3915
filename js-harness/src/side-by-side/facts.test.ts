// What a task costs beside time, as the README's table has it.

import { expect, it } from "vitest";

import { onEachStore } from "./agents.js";
import { factsOn } from "./facts.js";

/** Who waits for a run looks at it again every 200 ms, and a busy machine takes some of these. */
function expectAbout(statements: number | undefined, usual: number): void {
  expect(statements).toBeGreaterThanOrEqual(usual);
  expect(statements).toBeLessThanOrEqual(usual + 3);
}

it("a task costs the statements and the bytes that the README tells", async () => {
  const [onSqlite, onPostgres] = await onEachStore(factsOn);

  expectAbout(onSqlite?.ours.send.statements, 11);
  expectAbout(onPostgres?.ours.send.statements, 11);
  for (const facts of [onSqlite, onPostgres]) {
    expect(facts?.theirs.send.statements).toBe(9);
    expect(facts?.ours.getTask).toMatchObject({ statements: 1, writes: 0 });
    expect(facts?.theirs.getTask).toMatchObject({ statements: 1, writes: 0 });
    expect(Math.round((facts?.ours.send.bytesWritten ?? 0) / 1024)).toBe(127);
    expect(Math.round((facts?.theirs.send.bytesWritten ?? 0) / 1024)).toBe(254);
  }
});
