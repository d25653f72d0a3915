import { callableOf } from "../wasm/callable.js";
import { isSkeinResultsError } from "../wasm/errors.js";
import type { ResultMethods } from "./methods.js";
import { ask } from "../wasm/instance.js";

/** A run repository that can keep results. */
export type ResultRepo = Pick<ResultMethods, "recordResult" | "getResult">;

/**
 * The repository, known to keep results. Call this before anything is created.
 *
 * @throws `results_unsupported`, naming what is missing
 */
export function requireResultSupport<R>(runs: R): R & ResultRepo {
  const offered = callableOf(runs, ["recordResult", "getResult"]);
  ask((rules) => rules.checkAdmission(offered));
  return runs as R & ResultRepo;
}

/** True if a repository can keep results: both methods are callable. */
export function supportsResults<R>(runs: R): runs is R & ResultRepo {
  try {
    requireResultSupport(runs);
    return true;
  } catch (error) {
    if (isSkeinResultsError(error)) return false;
    throw error;
  }
}
