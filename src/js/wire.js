// The walk over live JavaScript values: the engine's own JSON.stringify with the host's replacer, so
// that getters, `toJSON` and `toDict` are read exactly as the host reads them. What is allowed, and
// what a failure is called, is decided in src/wire.rs.

/** Thrown when a walk stopped: too deep, or something on the way threw. */
class WalkStopped {
  constructor(tooDeep, path, cause) {
    this.tooDeep = tooDeep;
    this.path = path;
    this.cause = cause;
  }
}

/** Our own throw from inside the replacer, which no exception of the host can equal. */
const TOO_DEEP = Symbol("too deep");

/**
 * The JSON text of `source[key]` as the host's serializer writes it; undefined where JSON leaves the
 * member out, and null where there is no such member. An inherited member is none, as for the host's
 * serializer.
 *
 * The member is read through an accessor inside a wrapper of its own, so that `toJSON(key)` sees its
 * key, and a getter is read as often as the host's serializer reads it.
 */
export function stringifyMember(source, key, maxDepth) {
  const wrapper = {};
  try {
    if (!Object.hasOwn(source, key)) return null;
    Object.defineProperty(wrapper, key, { enumerable: true, get: () => source[key] });
  } catch (cause) {
    throw new WalkStopped(false, [key], cause);
  }
  // `{"values":…}`: the braces, the quoted key and the colon are not the member's.
  const text = stringify(wrapper, maxDepth);
  return text === "{}" ? undefined : text.slice(key.length + 4, -1);
}

/** The JSON text of a whole value as the host's serializer writes it, or undefined. */
export function stringifyValue(value, maxDepth) {
  const text = stringify({ "": value }, maxDepth);
  return text === "{}" ? undefined : text.slice(4, -1);
}

/** The four texts of a result, as a driver stores them. */
export function resultTexts(values, interrupts, reply, checkpoint) {
  return { values, interrupts, reply, checkpoint };
}

/** A result as its reader gets it: a member that was absent stays absent. */
export function runResult(values, interrupts, reply, checkpoint) {
  const result = { values };
  if (interrupts !== undefined) result.interrupts = interrupts;
  if (reply !== undefined) result.reply = reply;
  if (checkpoint !== undefined) result.checkpoint = checkpoint;
  return result;
}

/** The value of a stored text. */
export function parseText(text) {
  return JSON.parse(text);
}

/** What was thrown, as a sentence; what was thrown may itself throw when asked. */
export function reasonOf(cause) {
  try {
    return cause instanceof Error && cause.message !== "" ? `${cause.message}` : `${String(cause)}`;
  } catch {
    return "an exception that cannot be read";
  }
}

// JSON.stringify calls the replacer in document order with the container as `this`. The chain of open
// containers, and with it the depth and the path, is thus known at every step at no extra read of the
// value: a call whose `this` is what was returned last opens a container, any other `this` closes some.
function stringify(wrapper, maxDepth) {
  const open = [];
  const keys = [];
  let container;
  let written = wrapper;
  let isReading = false;

  function enter(next) {
    if (next === written) {
      open.push(next);
      keys.push("");
    } else {
      while (open.length > 1 && open[open.length - 1] !== next) {
        open.pop();
        keys.pop();
      }
    }
    container = next;
  }

  function replacer(key, serialized) {
    // The first call shows the wrapper itself, which is no part of the value.
    if (container === undefined && this !== wrapper) return serialized;
    if (this !== container) enter(this);
    keys[keys.length - 1] = key;
    isReading = true;
    const raw = this[key];
    if (raw !== null && typeof raw === "object" && typeof raw.toDict === "function") {
      const { type, data } = raw.toDict();
      written = { ...data, type };
    } else {
      written = serialized;
    }
    if (written !== null && typeof written === "object" && open.length > maxDepth) throw TOO_DEEP;
    isReading = false;
    return written;
  }

  try {
    return JSON.stringify(wrapper, replacer);
  } catch (cause) {
    const path = pathOf(open, keys, written, isReading);
    throw cause === TOO_DEEP
      ? new WalkStopped(true, path, undefined)
      : new WalkStopped(false, path, cause);
  }
}

/** Where a walk stopped, found without running the host's getters again. */
function pathOf(open, keys, written, isReading) {
  const steps = open.map((container, level) => step(container, keys[level]));
  if (isReading || open.includes(written)) return steps;
  if (typeof written === "bigint" || written instanceof BigInt) return steps;
  if (written !== null && typeof written === "object") {
    // The container just shown could not be opened, or its first member could not be read.
    const first = keyAfter(written, undefined);
    if (first === null) return steps;
    if (first !== undefined) return [...steps, step(written, first)];
  }
  // The value just shown was written; the member after it could not be read.
  for (let level = open.length - 1; level >= 0; level -= 1) {
    const key = keyAfter(open[level], keys[level]);
    if (key === null) return steps.slice(0, level);
    if (key !== undefined) return [...steps.slice(0, level), step(open[level], key)];
  }
  return steps.slice(0, 1);
}

function step(container, key) {
  return Array.isArray(container) ? Number(key) : key;
}

/** The key that follows `visited` (the first one for undefined); null where the keys cannot be read. */
function keyAfter(container, visited) {
  try {
    if (Array.isArray(container)) {
      const index = visited === undefined ? 0 : Number(visited) + 1;
      return index < container.length ? index : undefined;
    }
    const names = Object.keys(container);
    return names[visited === undefined ? 0 : names.indexOf(visited) + 1];
  } catch {
    return null;
  }
}
