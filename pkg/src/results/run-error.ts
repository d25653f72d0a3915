import { storableInJsonb } from "./jsonb.js";

/**
 * The JSON text of a host's error value for the run row; null clears it.
 *
 * The write of a failure must not fail over its own message: a `jsonb` column refuses NUL and lone
 * surrogates, and a value that JSON cannot carry is told by its text.
 */
export function errorText(error: unknown): string | null {
  const text = readErrorText(error);
  return text === null ? null : storableInJsonb(text);
}

/** The JSON text of the error of a row that is there already: it holds what its host has put there. */
export function readErrorText(error: unknown): string | null {
  return error === undefined || error === null ? null : (plainText(error) ?? null);
}

/** The same value as it reads back from its text; undefined where there is none. */
export function errorValue(error: unknown): unknown {
  const text = errorText(error);
  return text === null ? undefined : (JSON.parse(text) as unknown);
}

function plainText(error: unknown): string | undefined {
  try {
    return JSON.stringify(error);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "it throws";
    return JSON.stringify({
      error: "Error",
      message: `The run failed with an error that JSON cannot carry: ${reason}`,
    });
  }
}
