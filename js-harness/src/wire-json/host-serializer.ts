// The host's own serializer for the wire, in plain JavaScript: what a stored result has to equal.

import type { RunResult } from "skein-results";

/** The members of a result in the order in which they are read. */
export const MEMBERS = ["values", "interrupts", "reply", "checkpoint"] as const;

/**
 * `JSON.stringify`, with anything that has a `toDict()` flattened to `{ ...data, type }`. Undefined for
 * a value that JSON leaves out.
 */
export function hostWireText(value: unknown): string | undefined {
  // Its type says that it always answers a text.
  return JSON.stringify(value, flattened);
}

function flattened(this: Record<string, unknown>, key: string, serialized: unknown): unknown {
  const raw = this[key] as { toDict?: unknown } | null | undefined;
  if (raw !== null && typeof raw === "object" && typeof raw.toDict === "function") {
    const { type, data } = (raw.toDict as () => { type: string; data: object })();
    return { ...data, type };
  }
  return serialized;
}

/** What came of a serialization: what it made, or what was thrown. */
export type Outcome<T> = { made: T } | { thrown: unknown };

export function outcomeOf<T>(serialize: () => T): Outcome<T> {
  try {
    return { made: serialize() };
  } catch (thrown) {
    return { thrown };
  }
}

/** What a result is on the wire: its own members and no others, and values even where JSON leaves them out. */
export function hostWireResult(result: object): RunResult {
  const own = Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(result)).filter(([key]) =>
      (MEMBERS as readonly string[]).includes(key),
    ),
  );
  const text = hostWireText(Object.defineProperties({}, own));
  return { values: null, ...(JSON.parse(text ?? "{}") as object) } as unknown as RunResult;
}

/** How many arrays and objects of a JSON text are inside each other at most. */
export function nestingOf(text: string): number {
  let deepest = 0;
  let level = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark === "[" || mark === "{") deepest = Math.max(deepest, (level += 1));
    else if (mark === "]" || mark === "}") level -= 1;
  }
  return deepest;
}
