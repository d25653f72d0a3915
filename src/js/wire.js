// The walk over live JavaScript values: the engine's own JSON.stringify with the host's replacer, so
// that getters, `toJSON` and `toDict` are read exactly as the host reads them. What is allowed, and
// what a failure is called, is decided in src/result/wire.rs.

/**
 * Thrown when a walk stopped: too deep, or something on the way threw. Nothing else is thrown into
 * WebAssembly, which could not ask what the host throws without running the host's code again.
 */
class WalkStopped {
  /** Known without asking: what the host threw may throw when it is asked for its class. */
  #own;
  /** The id of the run that an entry of a snapshot is for. */
  run = null;

  constructor(tooDeep, path, cause) {
    this.tooDeep = tooDeep;
    this.path = path;
    this.cause = cause;
  }

  static of(thrown) {
    const isOwn = typeof thrown === "object" && thrown !== null && #own in thrown;
    return isOwn ? thrown : new WalkStopped(false, [], thrown);
  }
}

/** Our own throw from inside the replacer, which no exception of the host can equal. */
const TOO_DEEP = Symbol("too deep");

/**
 * The four texts of a result, each as the host's serializer writes it. A member that the result does
 * not have, or that JSON leaves out, is null; `values` is undefined where the result has no such
 * member, and null where JSON leaves it out. An inherited member is none, as for the host's serializer.
 *
 * Null for something that is no object.
 */
export function resultTexts(source, maxDepth, maxSize, maxLength) {
  try {
    return textsOf(source, maxDepth, maxSize, maxLength);
  } catch (thrown) {
    throw WalkStopped.of(thrown);
  }
}

function textsOf(source, maxDepth, maxSize, maxLength) {
  if (typeof source !== "object" || source === null || Array.isArray(source)) return null;
  const values = wrapped(source, "values");
  const interrupts = wrapped(source, "interrupts");
  const reply = wrapped(source, "reply");
  const checkpoint = wrapped(source, "checkpoint");
  const texts = {
    values: values && memberText(values, "values", maxDepth, maxSize),
    interrupts: interrupts ? memberText(interrupts, "interrupts", maxDepth, maxSize) : null,
    reply: reply ? memberText(reply, "reply", maxDepth, maxSize) : null,
    checkpoint: checkpoint ? memberText(checkpoint, "checkpoint", maxDepth, maxSize) : null,
  };
  requireCarried(texts, maxLength);
  return texts;
}

const MEMBERS = ["values", "interrupts", "reply", "checkpoint"];

/** The engine writes longer texts than every store can give back. */
function requireCarried(texts, maxLength) {
  let length = 0;
  for (const member of MEMBERS) {
    length += texts[member]?.length ?? 0;
    if (length > maxLength) {
      const most = maxLength.toLocaleString("en-US");
      const cause = new RangeError(`the texts of a result have more than ${most} characters`);
      throw new WalkStopped(false, [member], cause);
    }
  }
}

/** How many entries there are in what a snapshot has as its results; -1 for what is no list of them. */
export function countEntries(results) {
  if (results === undefined || results === null) return 0;
  if (Array.isArray(results)) return results.length;
  return typeof results === "object" && Object.keys(results).length === 0 ? 0 : -1;
}

/**
 * An entry of a snapshot, `[run id, result]`, as `[run id, texts]`; what is no pair is false, and one
 * whose run id is no text is true.
 */
export function entryTexts(results, index, maxDepth, maxSize, maxLength) {
  let run = null;
  try {
    const pair = results[index];
    if (!Array.isArray(pair) || pair.length < 2) return false;
    const id = pair[0];
    if (typeof id !== "string") return true;
    run = id;
    return [id, textsOf(pair[1], maxDepth, maxSize, maxLength)];
  } catch (thrown) {
    const stopped = WalkStopped.of(thrown);
    stopped.run = run;
    throw stopped;
  }
}

/**
 * A member in a wrapper of its own, so that `toJSON(key)` sees its key. A getter stays one, to be read
 * as often as the host's serializer reads it.
 */
function wrapped(source, key) {
  try {
    if (!Object.hasOwn(source, key)) return undefined;
    const member = Object.getOwnPropertyDescriptor(source, key);
    if (!member?.enumerable) return undefined;
    if (!member.get) return { [key]: member.value };
    return Object.defineProperty({}, key, { enumerable: true, get: () => source[key] });
  } catch (cause) {
    throw new WalkStopped(false, [key], cause);
  }
}

/** The member's text; null where JSON leaves it out. */
function memberText(wrapper, key, maxDepth, maxSize) {
  return stringify(wrapper, key, maxDepth, maxSize) ?? null;
}

/** The JSON text of a whole value as the host's serializer writes it, or undefined. */
export function stringifyValue(value, maxDepth, maxSize) {
  try {
    return stringify({ "": value }, "", maxDepth, maxSize);
  } catch (thrown) {
    const stopped = WalkStopped.of(thrown);
    // The key is the wrapper's, and no step to a place in the value.
    stopped.path.shift();
    throw stopped;
  }
}

/**
 * Thrown when a stored member cannot be read: `cause` is undefined where it is no text at all, and
 * `member` where it could not be asked for.
 */
class Unreadable {
  constructor(member, cause) {
    this.member = member;
    this.cause = cause;
  }
}

/**
 * The result of four stored texts, as its reader gets it: a member that was absent stays absent. Null
 * where there is no result.
 */
export function parsedResult(texts) {
  const { values, interrupts, reply, checkpoint } = membersOf(texts);
  if (values === null || values === undefined) return null;
  const result = { values: parsed("values", values) };
  if (isStored(interrupts)) result.interrupts = parsed("interrupts", interrupts);
  if (isStored(reply)) result.reply = parsed("reply", reply);
  if (isStored(checkpoint)) result.checkpoint = parsed("checkpoint", checkpoint);
  return result;
}

function membersOf(texts) {
  try {
    const { values, interrupts, reply, checkpoint } = texts;
    return { values, interrupts, reply, checkpoint };
  } catch (cause) {
    throw new Unreadable(undefined, cause);
  }
}

function isStored(text) {
  return text !== null && text !== undefined;
}

function parsed(member, text) {
  if (typeof text !== "string") throw new Unreadable(member, undefined);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Unreadable(member, cause);
  }
}

/** What was thrown, as a sentence; what was thrown may itself throw when asked. */
export function reasonOf(cause) {
  try {
    const message = cause?.message;
    return typeof message === "string" && message !== "" ? message : `${String(cause)}`;
  } catch {
    return "an exception that cannot be read";
  }
}

// JSON.stringify calls the replacer in document order with the container as `this`. The chain of open
// containers, and with it the depth and the path, is thus known at every step at no extra read of the
// value: a call whose `this` is what was returned last opens a container, any other `this` closes some.
//
// The walk under way is kept beside the one replacer, which costs half of what a closure for each walk
// does, and each member of the value costs two writes. A getter may start another walk, so a walk puts
// back what it found.
let open;
/** For each open container, the key under which it was reached in the one around it. */
let reachedBy;
let container;
/** The key that the replacer was called with last. */
let visited;
/** What it answered last. */
let written;
/** Whether it was the replacer that read what threw, and not the engine on its way to the next call. */
let threwInside;
let limit;
/** What has been shown so far, by the measure of MAX_SIZE in src/result/wire.rs. */
let size;
let sizeLimit;

// The engine is given no wrapper to write: a text that is cut out of another one keeps all of that in
// memory, and makes the engine copy what it has in pieces. So the first call, which is for the whole value,
// answers with the member of the wrapper, read as the engine reads one.
function replacer(key, serialized) {
  if (container === undefined) {
    container = open[0];
    return replaced(container, serializedMember());
  }
  if (this !== container) enter(this);
  visited = key;
  return replaced(this, serialized);
}

/** A member before any replacer sees it: its own `toJSON` comes first (SerializeJSONProperty of ECMA-262). */
function serializedMember() {
  try {
    const value = container[visited];
    const isAsked = typeof value === "bigint" || typeof value === "function" || isObject(value);
    const toJSON = isAsked ? value.toJSON : undefined;
    return typeof toJSON === "function" ? Reflect.apply(toJSON, value, [visited]) : value;
  } catch (cause) {
    threwInside = true;
    throw cause;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** What is written instead of the visited member of a container. */
function replaced(holder, serialized) {
  let next = serialized;
  try {
    const raw = holder[visited];
    if (isObject(raw) && typeof raw.toDict === "function") {
      const { type, data } = raw.toDict();
      next = { ...data, type };
    }
  } catch (cause) {
    threwInside = true;
    throw cause;
  }
  written = next;
  let cost = 8;
  if (typeof next === "string") cost += next.length;
  else if (isObject(next)) {
    if (open.length > limit) throw TOO_DEEP;
    cost = 32;
  }
  if ((size += cost) > sizeLimit) throw tooLarge();
  return next;
}

/** Before the engine says so, which goes on for as long as there is more to write, and then fails. */
function tooLarge() {
  threwInside = true;
  return new RangeError(
    `more than ${sizeLimit} characters would be written, where each object or array counts as 32, each value as 8 ` +
      "or more, and what is in several places counts in each. Keep large data elsewhere, and shared data once",
  );
}

function enter(next) {
  if (next === written) {
    open.push(next);
    reachedBy.push(visited);
  } else {
    while (open.length > 1 && open[open.length - 1] !== next) {
      open.pop();
      reachedBy.pop();
    }
  }
  container = next;
}

/** The text of a member of an object, as it is written among others; undefined for one that JSON leaves out. */
function stringify(wrapper, key, maxDepth, maxSize) {
  const [outerOpen, outerReachedBy, outerLimit] = [open, reachedBy, limit];
  const [outerContainer, outerVisited, outerWritten] = [container, visited, written];
  const [outerThrewInside, outerSize, outerSizeLimit] = [threwInside, size, sizeLimit];
  open = [wrapper];
  reachedBy = [undefined];
  limit = maxDepth;
  size = 0;
  sizeLimit = maxSize;
  container = undefined;
  visited = key;
  written = undefined;
  threwInside = false;
  try {
    return JSON.stringify(null, replacer);
  } catch (cause) {
    // Under the key of the last call in the innermost container, and of the way there in the others.
    const keys = [...reachedBy.slice(1), visited];
    const isShown = threwInside || cause === TOO_DEEP;
    const path = placeOf(open, keys, written, isShown);
    throw cause === TOO_DEEP
      ? new WalkStopped(true, path, undefined)
      : new WalkStopped(false, path, cause);
  } finally {
    [open, reachedBy, limit] = [outerOpen, outerReachedBy, outerLimit];
    [container, visited, written] = [outerContainer, outerVisited, outerWritten];
    [threwInside, size, sizeLimit] = [outerThrewInside, outerSize, outerSizeLimit];
  }
}

/** Where a walk stopped, as far as that can be asked: what is in the way may be a proxy that throws. */
function placeOf(open, keys, written, isShown) {
  try {
    return pathOf(open, keys, written, isShown);
  } catch {
    return keys.slice(0, open.length);
  }
}

/** Where a walk stopped, found without running the host's getters again. */
function pathOf(open, keys, written, isShown) {
  const steps = open.map((container, level) => step(container, keys[level]));
  if (isShown || open.includes(written)) return steps;
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
