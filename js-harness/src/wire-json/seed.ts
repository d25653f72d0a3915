// The seed of a run of the property tests: another one each time, printed, and set to see a run again.

import { randomInt } from "node:crypto";

import fc from "fast-check";

/** Set it to the seed that a failed run has printed. */
const VARIABLE = "SKEIN_SEED";

/** @param what the property, for the line that names the seed */
export function seeded(what: string, numRuns: number): fc.Parameters<unknown> {
  const seed = Number(process.env[VARIABLE] ?? randomInt(2 ** 31));
  console.log(`${what}: ${numRuns} cases, ${VARIABLE}=${seed}`);
  return { seed, numRuns, endOnFailure: true };
}
