import type { RunControl } from "./cancellation.js";

/** Stops the run after its time limit; answers how to call that off. No limit, no timer. */
export function armRunTimeout(control: RunControl, limitMs: number | undefined): () => void {
  if (limitMs === undefined) return () => undefined;
  const timer = setTimeout(() => control.abort("timeout"), limitMs);
  return () => clearTimeout(timer);
}
