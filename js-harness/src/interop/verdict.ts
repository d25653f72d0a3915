// What each mode of the gate has to come to. The baseline's failures are recorded to the letter: a
// baseline that fails in another way, or passes, is news.

import { isDeepStrictEqual } from "node:util";

import type { GateRow, Mode } from "./gate.js";

const FIRST_ANSWER = [{ data: { value: "echo: first" } }];
const SECOND_ANSWER = [{ data: { value: "echo: second" } }];

/** The parts that are fetched for the first task, at the end. */
export const FETCHED: Readonly<Record<Mode, readonly unknown[]>> = {
  // The thread has moved on, and its latest state is the second turn's.
  "baseline-latest": SECOND_ANSWER,
  // The checkpoint that the first run ended at was pruned.
  "baseline-checkpoint": [],
  results: FIRST_ANSWER,
};

/** True if an answer was sent, and all of it was fetched: every part, to its last member. */
export function isSameAnswer(sent: readonly unknown[], fetched: readonly unknown[]): boolean {
  return sent.length > 0 && isDeepStrictEqual(sent, fetched);
}

/** True if a row is what it has to be: the baseline fails as recorded, and the results mode passes. */
export function isAsRecorded(row: GateRow): boolean {
  return (
    isDeepStrictEqual(row.sent, FIRST_ANSWER) &&
    isDeepStrictEqual(row.fetched, FETCHED[row.mode]) &&
    row.equal === (row.mode === "results")
  );
}
