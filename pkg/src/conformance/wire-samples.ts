/** A live value, and what it is on the wire. */
export interface WireSample {
  readonly name: string;
  /** Makes the value anew, so that one place cannot spoil another. */
  readonly make: () => unknown;
  /** What JSON makes of it, or {@link OMITTED}. */
  readonly wire: unknown;
}

/** A value that JSON leaves out of an object. */
export const OMITTED = Symbol("left out");

const sample = (name: string, make: () => unknown, wire: unknown): WireSample => ({
  name,
  make,
  wire,
});

/** A value that is JSON already. */
const plain = (name: string, value: unknown): WireSample => sample(name, () => value, value);

/** What JSON has no place for. */
export const JSON_HAS_NO_PLACE: readonly WireSample[] = [
  sample("undefined", () => undefined, OMITTED),
  sample("a function", () => () => 1, OMITTED),
  sample("a symbol", () => Symbol("s"), OMITTED),
  sample("NaN", () => NaN, null),
  sample("Infinity", () => Infinity, null),
  sample("-Infinity", () => -Infinity, null),
  sample("minus zero", () => -0, 0),
  sample(
    "an array of what JSON has no place for",
    // eslint-disable-next-line no-sparse-arrays -- a hole is one of the things
    () => [NaN, Infinity, -Infinity, -0, undefined, , () => 1, Symbol("s")],
    [null, null, null, 0, null, null, null, null],
  ),
  sample(
    "an object of what JSON has no place for",
    () => ({ u: undefined, [Symbol("k")]: 1, f: () => 1, keep: 1 }),
    { keep: 1 },
  ),
];

/** Objects of classes, as `JSON.stringify` writes them. */
export const OBJECTS_OF_CLASSES: readonly WireSample[] = [
  sample("a Date", () => new Date(0), "1970-01-01T00:00:00.000Z"),
  sample("an invalid Date", () => new Date(NaN), null),
  sample("a Map", () => new Map([["a", 1]]), {}),
  sample("a Set", () => new Set([1]), {}),
  sample("a RegExp", () => /a/, {}),
  sample("an Error", () => new Error("not on the wire"), {}),
  sample("bytes", () => new Uint8Array([1, 2]), { "0": 1, "1": 2 }),
  sample("a boxed text", () => Object("s"), "s"),
  sample("a boxed number", () => Object(1.5), 1.5),
  sample("a boxed boolean", () => Object(false), false),
  sample("a URL", () => new URL("https://e.test/a"), "https://e.test/a"),
  sample("an object of a class", () => new Point(), { x: 1 }),
  sample("an object without a prototype", () => Object.assign(Object.create(null), { a: 1 }), {
    a: 1,
  }),
  sample("an object that inherits", () => Object.create({ inherited: 1 }), {}),
];

/** Objects that say themselves what they are on the wire. */
export const SELF_MADE: readonly WireSample[] = [
  sample("a toJSON", () => ({ hidden: 1, toJSON: () => ({ shown: [new Date(0)] }) }), {
    shown: ["1970-01-01T00:00:00.000Z"],
  }),
  sample("a toJSON that answers nothing", () => ({ toJSON: () => undefined }), OMITTED),
  sample(
    "a toJSON within a toJSON",
    () => ({ toJSON: () => ({ toJSON: 1, inner: new Point() }) }),
    {
      toJSON: 1,
      inner: { x: 1 },
    },
  ),
  sample("a message with toDict", () => new Message("hello"), {
    type: "human",
    content: "hello",
    extra: { when: "1970-01-01T00:00:00.000Z" },
  }),
  sample("messages in a list", () => [new Message("a"), [new Message("b")]], [
    { type: "human", content: "a", extra: { when: "1970-01-01T00:00:00.000Z" } },
    [{ type: "human", content: "b", extra: { when: "1970-01-01T00:00:00.000Z" } }],
  ]),
  sample("a getter that answers another value each time", counting, { n: 1 }),
  sample("the same object in two places", () => twice({ n: 1 }), { x: { n: 1 }, y: [{ n: 1 }] }),
];

/** Texts that something on the way to a database likes to change. */
export const ODD_TEXTS: readonly WireSample[] = [
  plain("a whole emoji", "\u{1f600}"),
  plain("half an emoji before a text", "\ude00x"),
  plain("half an emoji after a text", "x\ud83d"),
  plain("the halves the wrong way round", "\ude00\ud83d"),
  plain("keys that differ in half an emoji", { "a\ud800": 1, "a\ud801": 2, "a\u{fffd}": 3 }),
  plain("a NUL", "a\u0000b"),
  plain("a NUL in a key", { "a\u0000b": 1, "a\u0000c": 2, a: 3 }),
  plain("the text of an escape", "\\u0000 \\ud83d \\\\"),
  plain("control characters", "\u0001\b\f\n\r\t\u001f\u007f\u0085"),
  plain("line separators", "\u2028\u2029"),
  plain("a byte order mark", "\ufeffa\ufeff"),
  plain("two forms of one letter", { "\u00e9": "e\u0301", "e\u0301": "\u00e9" }),
  plain("quotes and comments", `'"--;/*\`$\{x}%s:name $1 ?`),
  plain("spaces at the ends", "  a \n"),
  plain("noncharacters", "\uffff\u{10ffff}"),
];

/** Texts that are JSON themselves and must stay texts. */
export const TEXTS_THAT_LOOK_LIKE_JSON: readonly WireSample[] = [
  ...["10.5", "null", "true", '{"a":1}', "[1,2]", '"quoted"', "", "{", "undefined", "NaN"],
  "2020-01-01T00:00:00.000Z",
  "9007199254740993",
  '"\\"twice\\""',
].map((text) => plain(`the text ${JSON.stringify(text)}`, text));

/** What is empty, or counts as nothing somewhere. */
export const EMPTY_VALUES: readonly WireSample[] = [
  null,
  false,
  0,
  "",
  {},
  [],
  [null],
  [[]],
  { "": "" },
  { a: null },
  { a: {} },
].map((value) => plain(`the value ${JSON.stringify(value)}`, value));

/** Keys that mean something to JavaScript or to a database. */
export const ODD_KEYS: readonly WireSample[] = [
  json("__proto__ as a key", '{"__proto__":{"polluted":1},"a":1}'),
  json("__proto__ deep inside", '{"a":[{"__proto__":null}],"b":{"__proto__":"text"}}'),
  json("names of inherited members", '{"constructor":{"prototype":1},"toString":2,"valueOf":{}}'),
  json("members that look like a result", '{"values":1,"interrupts":{},"reply":null,"result":{}}'),
  json("members that look like a class", '{"type":"human","data":{},"lc":1,"$date":0,"then":1}'),
  json("keys that look like paths", '{"a.b":1,"a[0]":2,"$.a":3,"a":{"b":4}}'),
  json("keys that differ in case", '{"a":1,"A":2," a":3,"a ":4}'),
];

function json(name: string, text: string): WireSample {
  return sample(name, () => JSON.parse(text) as unknown, JSON.parse(text));
}

/** Numbers at the edges of a double, and many in between. */
export const NUMBERS: readonly WireSample[] = [
  plain("numbers at the edges", [
    1e21,
    1e-7,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    100,
    1.0,
    0.1 + 0.2,
    4.35,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 53 + 2,
    2 ** 63,
    -(2 ** 63),
    1e15 + 0.3,
    123456789012345680000,
  ]),
  plain("numbers of all sizes", doublesOfAllSizes(500)),
];

/** Doubles from all over their range, the same ones each time. */
function doublesOfAllSizes(count: number): number[] {
  const words = new Uint32Array(2);
  const double = new Float64Array(words.buffer);
  const found: number[] = [];
  let state = 0x9e3779b9;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  while (found.length < count) {
    words.set([next(), next()]);
    const [value] = double;
    if (value !== undefined && Number.isFinite(value)) found.push(value);
  }
  return found;
}

class Point {
  readonly x = 1;
  readonly #hidden = 2;

  get sum(): number {
    return this.x + this.#hidden;
  }
}

/** As a message class of LangChain is: `toDict` is for the wire, and `toJSON` is not. */
class Message {
  readonly #content: string;

  constructor(content: string) {
    this.#content = content;
  }

  toDict(): { type: string; data: object } {
    return { type: "human", data: { content: this.#content, extra: { when: new Date(0) } } };
  }

  toJSON(): object {
    return { lc: 1, kwargs: { content: this.#content } };
  }
}

function counting(): object {
  let count = 0;
  return {
    get n(): number {
      count += 1;
      return count;
    },
  };
}

function twice(shared: object): object {
  return { x: shared, y: [shared] };
}
