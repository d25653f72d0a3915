// Values and JSON texts that are nested as deep as one asks, built without recursion.

/** What came of a deep value. */
export interface Told {
  levels: number;
  shape: string;
  at: string;
  /** Of the failure; null where there was none. */
  code: unknown;
  status: string | undefined;
  /** The result that the run then has; for one that was taken, whether it is what the host makes of it. */
  read: unknown;
}

function nested(levels: number, wrap: (inside: unknown, level: number) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value, level);
  return value;
}

/** A map that shows its entries, as hosts teach theirs. */
class Entries extends Map<string, unknown> {
  toJSON(): unknown {
    return [...this];
  }
}

/** Those that the wire cannot carry. */
export const TOO_DEEP: Readonly<Record<string, (levels: number) => unknown>> = {
  arrays: (levels) => nested(levels, (inside) => [inside]),
  objects: (levels) => nested(levels, (inside) => ({ a: inside })),
  "arrays and objects": (levels) =>
    nested(levels, (inside, level) => (level % 2 ? { a: 0, b: inside } : [null, inside])),
  "objects with a toJSON": (levels) => nested(levels, (inside) => ({ toJSON: () => [inside] })),
  "Maps that show their entries": (levels) =>
    nested(levels, (inside) => new Entries([["a", inside]])),
  messages: (levels) =>
    nested(levels, (inside) => ({ toDict: () => ({ type: "ai", data: { content: inside } }) })),
  "getters and proxies": (levels) =>
    nested(levels, (inside, level) => {
      const members = Object.defineProperty({}, "a", { enumerable: true, get: () => inside });
      return level % 2 ? new Proxy(members, {}) : members;
    }),
};

/** All of them, and those that JSON does not look into. */
export const DEEP_VALUES: Readonly<Record<string, (levels: number) => unknown>> = {
  ...TOO_DEEP,
  Maps: (levels) => nested(levels, (inside) => new Map([["a", inside]])),
  "a toJSON that answers the next": (levels) =>
    nested(levels, (inside) => ({ toJSON: () => inside })),
  "a toJSON that asks the next": (levels) =>
    nested(levels, (inside) => ({
      toJSON: () => (inside as { toJSON?: () => unknown }).toJSON?.() ?? inside,
    })),
};

export const DEEP_TEXTS: Readonly<Record<string, (levels: number) => string>> = {
  arrays: (levels) => `${"[".repeat(levels)}1${"]".repeat(levels)}`,
  objects: (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
  "arrays and objects": (levels) => `${'[0,{"a":'.repeat(levels / 2)}1${"}]".repeat(levels / 2)}`,
};

/** Where in a result they are: as a live value, and as a text. */
export const PLACES: Readonly<
  Record<string, { valueAt: (value: unknown) => object; textAt: (text: string) => string }>
> = {
  values: {
    valueAt: (value) => ({ values: { a: value } }),
    textAt: (text) => `{"values":{"a":${text}}}`,
  },
  interrupts: {
    valueAt: (value) => ({ values: {}, interrupts: { t1: [{ id: "i1", value }] } }),
    textAt: (text) => `{"values":{},"interrupts":{"t1":[{"id":"i1","value":${text}}]}}`,
  },
  reply: {
    valueAt: (value) => ({ values: {}, reply: value }),
    textAt: (text) => `{"values":{},"reply":${text}}`,
  },
};
