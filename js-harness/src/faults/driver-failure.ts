import { expect } from "vitest";

import { isSkeinResultsError } from "skein-results";

/** The failure of a call; one that goes through is told as a failure of the test. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("The call went through.");
    },
    (failure: unknown) => failure,
  );
}

/** What the database said, under the errors with these codes. */
export function databaseErrorIn(
  failure: unknown,
  codes: readonly string[] = ["driver_failed"],
): { code?: string } {
  let error = failure;
  for (const code of codes) {
    expect(isSkeinResultsError(error) ? error.code : error).toBe(code);
    error = (error as Error).cause;
  }
  // A driver that is ready names what is wrong with the server, over what the server said.
  if (isSkeinResultsError(error)) error = error.cause;
  return error as { code?: string };
}
