import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";

import { isSkeinResultsError } from "../wasm/errors.js";

/** -32602: the request is not what the protocol allows. */
export function malformed(message: string, cause?: unknown): Error {
  return new RequestMalformedError(cause === undefined ? { message } : { message, cause });
}

/** -32602: a context that went away while a message to it was admitted. */
export function contextNotFound(): Error {
  return malformed("There is no such context any more. Leave contextId out to begin a new one.");
}

/** -32004: the agent does not do that, or not in this state. */
export function unsupported(message: string, cause?: unknown): Error {
  return new UnsupportedOperationError(cause === undefined ? { message } : { message, cause });
}

/** -32003 */
export function noPush(): Error {
  return new PushNotificationNotSupportedError({
    message: "This agent sends no push notifications.",
  });
}

/** -32001: an unknown task, and another caller's: both read the same. */
export function taskNotFound(): Error {
  return new TaskNotFoundError({ message: "There is no such task." });
}

/** -32002 */
export function notCancelable(state: string): Error {
  return new TaskNotCancelableError({ message: `The task is ${state} and cannot be canceled.` });
}

/** Refusals of an answer that lie in the answer itself; the others lie in the state of the task. */
const WRONG_ANSWERS: readonly unknown[] = [
  "unknown_interrupt",
  "repeated_interrupt",
  "unnamed_answer",
  "nothing_asked",
];

/**
 * What the caller is told of an error: a protocol error as it is, a store that cannot keep results and a
 * pause that cannot be resumed as -32004, an answer that fits no question as -32602. Null for a failure
 * inside, whose text is none of the caller's business.
 */
export function tellable(error: unknown): Error | null {
  if (error instanceof A2AError) return error;
  if (!isSkeinResultsError(error)) return null;
  switch (error.code) {
    case "results_unsupported":
      return unsupported(error.message, error);
    case "resume_refused":
      return WRONG_ANSWERS.includes(error.details["reason"])
        ? malformed(error.message, error)
        : unsupported(error.message, error);
    default:
      return null;
  }
}

/** -32603: something failed inside. */
export function internalError(cause: unknown): Error {
  return new A2AError({ message: "The agent failed to answer the request.", cause });
}
