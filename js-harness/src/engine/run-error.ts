import type { RunError } from "../stores/contract.js";

/** Why a run that took too long ended. */
export const RUN_TIMEOUT_ERROR: RunError = {
  error: "TimeoutError",
  message: "The run exceeded its time limit.",
};

/** What a run row and an error frame say about anything that was thrown. Never throws itself. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof Error) return { error: thrown.name, message: thrown.message };
  return { error: "Error", message: textOf(thrown) };
}

/** A thrown object is more legible as JSON, anything else as text. */
function textOf(thrown: unknown): string {
  try {
    const text = typeof thrown === "object" ? JSON.stringify(thrown) : undefined;
    return text ?? String(thrown);
  } catch {
    return "A value was thrown that has no text.";
  }
}
