import { callableOf } from "./callable.js";
import { isSkeinResultsError, SkeinResultsError } from "./errors.js";
import { everyMember } from "./every-member.js";
import { isEndOfStack } from "./end-of-stack.js";

// What a host's own call is given, looked at before anything is done with it. What JSON or JavaScript
// brings in the place of a type is refused by its name here, and not by the engine somewhere inside.

/**
 * What is read out of an argument. One that cannot be read is wrong, too.
 *
 * @throws `invalid_argument`
 */
export function readArgument<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isSkeinResultsError(cause)) throw cause;
    if (isEndOfStack(cause)) throw endOfStack(cause);
    throw invalidArgument(name, "what this function documents", cause);
  }
}

/** Members of an argument, each read once. @throws `invalid_argument` */
export function readMembers<T extends object, K extends keyof T>(
  name: string,
  argument: T,
  ...members: K[]
): Pick<T, K> {
  const read = () => Object.fromEntries(members.map((member) => [member, argument[member]]));
  return readArgument(name, read) as Pick<T, K>;
}

/** @throws `invalid_argument` */
export function requireObject(name: string, value: unknown): asserts value is object {
  requireThat(name, "an object", () => typeof value === "object" && value !== null);
}

/** @throws `invalid_argument` */
export function requireText(name: string, value: unknown): asserts value is string {
  requireThat(name, "a text", () => typeof value === "string");
}

/** @throws `invalid_argument` */
export function requireFunction(name: string, value: unknown): void {
  requireThat(name, "a function", () => typeof value === "function");
}

/** A function, or none. @throws `invalid_argument` */
export function requireOptionalFunction(name: string, value: unknown): void {
  if (value !== undefined && value !== null) requireFunction(name, value);
}

/** A list of which every member is such. @throws `invalid_argument` */
export function requireList<T>(
  name: string,
  value: unknown,
  expected: string,
  isMember: (member: unknown) => member is T,
): asserts value is readonly T[] {
  const is = () => Array.isArray(value) && everyMember(value, isMember);
  requireThat(name, `a list of ${expected}`, is);
}

/** Something with these methods. @throws `invalid_argument` */
export function requireMethods(name: string, value: unknown, methods: readonly string[]): void {
  const expected = `an object with ${methods.join(", ")}`;
  requireThat(name, expected, () => callableOf(value, methods).length === methods.length);
}

/** @throws `invalid_argument` */
export function requireThat(name: string, expected: string, is: () => boolean): void {
  if (!readArgument(name, is)) throw invalidArgument(name, expected);
}

function invalidArgument(name: string, expected: string, cause?: unknown): SkeinResultsError {
  return new SkeinResultsError(
    "invalid_argument",
    `\`${name}\` is not ${expected}. Pass what the types ask for.`,
    cause === undefined ? {} : { cause },
  );
}

/** There an argument looks wrong that is not. */
function endOfStack(cause: unknown): SkeinResultsError {
  return new SkeinResultsError(
    "internal_fault",
    "The stack has come to its end, and nothing was done. Call again from less deep.",
    { cause },
  );
}
