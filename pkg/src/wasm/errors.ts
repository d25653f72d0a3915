/**
 * Why something was refused. The codes are stable and the same in Rust, here and in the README.
 *
 * - `not_serializable`: a value that JSON cannot carry (a BigInt, a cycle, a throwing getter or
 *   `toJSON`), a result of more than 134,217,728 characters, or a member that comes to more than 2^29 where
 *   a value counts 8 more and an object or array 32; `details.path` is the place, `cause` what was thrown.
 * - `too_deep`: a value nested deeper than 1,000 levels; `details.path` is the place.
 * - `invalid_result`: `recordResult` was given something that is no result.
 * - `capture_failed`: a run's result could not be captured, and the run must end in `error`; `cause`
 *   is the failure.
 * - `driver_incomplete`: a driver lacks a required primitive; `details.missing` names it.
 * - `driver_failed`: a driver's primitive threw or rejected; `cause` is what it threw.
 * - `driver_answer`: a driver answered with something that its interface does not allow.
 * - `results_unsupported`: a store lacks `recordResult` or `getResult`; `details.missing` names it.
 * - `corrupt_result`: a stored text is not JSON any more.
 * - `invalid_mark`: `markRun` was given a mark that is none.
 * - `invalid_snapshot`: a snapshot or one of its result entries is malformed, and nothing was imported;
 *   `details.entry` is its place.
 * - `resume_refused`: an answer resumes nothing, and nothing was created; `details.reason` says why.
 * - `invalid_argument`: an argument is not what the function documents.
 * - `migration_failed`: a migration was rolled back; `details.migration` names it.
 * - `migration_order`: the database holds migrations in another order, or under other names.
 * - `migration_locked`: another process holds the migration lock.
 * - `storage_unavailable`: the browser's storage cannot be used.
 * - `storage_full`: the browser's storage did not take a write; what was there is as it was.
 * - `not_initialized`: outside Node, `init` has not been awaited.
 * - `internal_fault`: a defect of this package or the end of the stack or of the memory; the rules were
 *   loaded anew, and the call may be repeated; `cause` is what happened.
 * - `database_unusable`: the database of a ready driver cannot be used; the message says why.
 */
export type ErrorCode =
  | "not_serializable"
  | "too_deep"
  | "invalid_result"
  | "capture_failed"
  | "driver_incomplete"
  | "driver_failed"
  | "driver_answer"
  | "results_unsupported"
  | "corrupt_result"
  | "invalid_mark"
  | "invalid_snapshot"
  | "resume_refused"
  | "invalid_argument"
  | "migration_failed"
  | "migration_order"
  | "migration_locked"
  | "storage_unavailable"
  | "storage_full"
  | "not_initialized"
  | "internal_fault"
  | "database_unusable";

/** What an error tells beside its sentence. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

const NAME = "SkeinResultsError";

/**
 * The one error of this package.
 *
 * Recognise it with {@link isSkeinResultsError} and its `code`, not with `instanceof`: two copies of
 * a package in one process are normal, and so are its ESM and CommonJS forms side by side.
 */
export class SkeinResultsError extends Error {
  override readonly name = NAME;
  /** The stable code. */
  readonly code: ErrorCode;
  /** What the sentence is about, as data. */
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: ErrorDetails } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = Object.freeze({ ...options.details });
  }
}

/** True for an error of this package, from whichever copy of it. */
export function isSkeinResultsError(value: unknown): value is SkeinResultsError {
  try {
    return value instanceof Error && value.name === NAME && "code" in value && "details" in value;
  } catch {
    // What cannot be looked at, a revoked proxy for one, is no error of this package.
    return false;
  }
}

/** What the WebAssembly side throws: an error as plain data. */
interface Fault {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
  cause: unknown;
}

/** The error for what a call into WebAssembly threw; anything else is handed on untouched. */
export function fromFault(thrown: unknown): unknown {
  if (!isFault(thrown)) return thrown;
  const { code, message, details } = thrown;
  // What spoils an entry is a failure of ours; any other cause is what the host threw, and stays that.
  const cause = code === "invalid_snapshot" ? fromFault(thrown.cause) : thrown.cause;
  return new SkeinResultsError(
    code,
    message,
    cause === undefined ? { details } : { details, cause },
  );
}

function isFault(thrown: unknown): thrown is Fault {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    Object.getPrototypeOf(thrown) === Object.prototype &&
    "code" in thrown &&
    "details" in thrown &&
    "cause" in thrown
  );
}
