import { storableInJsonb } from "./jsonb.js";

/**
 * The JSON text of a host's error value for the run row; null clears it.
 *
 * The write of a failure must not fail over its own message: a `jsonb` column refuses NUL and lone
 * surrogates, and a value that JSON cannot carry is told by its text.
 */
export function errorText(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  const text = plainText(error);
  return text === undefined ? null : storableInJsonb(text);
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
