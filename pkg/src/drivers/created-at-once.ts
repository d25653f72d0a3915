import { SkeinResultsError } from "../wasm/errors.js";

/**
 * Refuses a `create` of `admitResume` that is still at work when it returns: nothing may come between the
 * check of the thread and the insert.
 *
 * @throws `invalid_argument`
 */
export function requireCreatedAtOnce(created: unknown): void {
  if (typeof (created as PromiseLike<unknown> | null)?.then !== "function") return;
  // What becomes of it is nobody's any more.
  Promise.resolve(created).catch(() => undefined);
  throw new SkeinResultsError(
    "invalid_argument",
    "The run that resumes another must be inserted before `create` returns, and `create` returned a promise. Insert it with the database's synchronous calls.",
  );
}
