import {
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";

import { isSkeinResultsError } from "../errors.js";

/** -32602: the request is not what the protocol allows. */
export function malformed(message: string): Error {
  return new RequestMalformedError({ message });
}

/** -32004: the agent does not do that, or not in this state. */
export function unsupported(message: string, cause?: unknown): Error {
  return new UnsupportedOperationError(cause === undefined ? { message } : { message, cause });
}

/** -32001: an unknown task, and another caller's: both read the same. */
export function taskNotFound(): Error {
  return new TaskNotFoundError({ message: "There is no such task." });
}

/** A store that cannot keep results refuses every message; anything else is thrown on. */
export function refusal(error: unknown): unknown {
  if (isSkeinResultsError(error) && error.code === "results_unsupported") {
    return unsupported(error.message, error);
  }
  return error;
}
