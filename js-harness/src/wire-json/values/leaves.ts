// What is no container of other values: texts, numbers, and objects that JSON knows nothing about.

import fc from "fast-check";

import { constant, oneOf, recipe, type Recipe } from "./recipe.js";

/** Any sixteen-bit units at all, with those that make trouble more often than chance would have it. */
const unit = fc.oneof(
  fc.constantFrom(0, 1, 0x08, 0x0a, 0x22, 0x5c, 0x7f, 0x85, 0xff, 0x2028, 0x2029, 0xfeff, 0xffff),
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.integer({ min: 0, max: 0xffff }),
);

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.array(unit, { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom("", "\u{1f600}", "\ud83d", "\ude00", "\\ud83d", '{"a":1}', "null", "NaN", "\0"),
);

/** Any bits at all, read as a double. */
const doubleOfBits = fc
  .tuple(fc.integer({ min: 0, max: 0xffff_ffff }), fc.integer({ min: 0, max: 0xffff_ffff }))
  .map(([low, high]) => new Float64Array(new Uint32Array([low, high]).buffer)[0] ?? 0);

const number: fc.Arbitrary<number> = fc.oneof(
  doubleOfBits,
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: 0, max: 4096 }).map((beyond) => 2 ** 53 - 2048 + beyond),
  fc.constantFrom(2 ** 53, 2 ** 53 + 2, 2 ** 63, 2 ** 64, 1e21, 1e-7, 5e-324, Number.MAX_VALUE),
);

/** What JSON writes as null or leaves out. */
const noPlaceInJson: readonly Recipe[] = [
  constant(undefined),
  constant(NaN),
  constant(-Infinity),
  recipe("() => 1", () => () => 1),
  recipe("a function with a toJSON", () => Object.assign(() => 1, { toJSON: () => "function" })),
  recipe("a function with a toDict", () => Object.assign(() => 1, { toDict: () => ({}) })),
  recipe("class {}", () => Date),
  recipe('Symbol("s")', () => Symbol("s")),
];

/** Objects of the language and of Node, each with its own idea of JSON. */
const builtIn: readonly Recipe[] = [
  recipe("new Date(NaN)", () => new Date(NaN)),
  recipe("/a/g", () => /a/g),
  recipe('new Error("x")', () => new Error("x")),
  recipe("an Error with more", () => Object.assign(new TypeError("x"), { code: "E", at: [1] })),
  recipe("new AggregateError([1])", () => new AggregateError([1], "x")),
  recipe("new ArrayBuffer(4)", () => new ArrayBuffer(4)),
  recipe("new DataView(...)", () => new DataView(new ArrayBuffer(4))),
  recipe("new WeakMap()", () => new WeakMap()),
  recipe("Promise.resolve(1)", () => Promise.resolve(1)),
  recipe("(function* () {})()", () => [1].values()),
  recipe("new URL(...)", () => new URL("https://e.test/a?b#c")),
  recipe("new URLSearchParams(...)", () => new URLSearchParams("a=1")),
  recipe("new Boolean(false)", () => Object(false) as unknown),
  recipe("Object(Symbol())", () => Object(Symbol("s")) as unknown),
  recipe("Math", () => Math),
  recipe("new Proxy([1, { a: 2 }], {})", () => new Proxy([1, { a: 2 }], {})),
  recipe("arguments", () => {
    const own = function (): unknown {
      // eslint-disable-next-line prefer-rest-params -- an arguments object is one of the things
      return arguments;
    };
    return Reflect.apply(own, undefined, [1, "two"]);
  }),
];

const TYPED_ARRAYS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
] as const;

const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 6 });

const dated = fc
  .date({ noInvalidDate: true })
  .map((date) => recipe(`new Date(${date.getTime()})`, () => new Date(date)));

const typedArray = fc
  .tuple(fc.constantFrom(...TYPED_ARRAYS), bytes)
  .map(([Kind, items]) =>
    recipe(`new ${Kind.name}([${items.join()}])`, () => new Kind([...items, 1.5])),
  );

const buffer = bytes.map((items) =>
  recipe(`Buffer.from([${items.join()}])`, () => Buffer.from(items)),
);

const boxed = fc.oneof(text, number).map((value) => {
  const told = constant(value).told;
  return recipe(`Object(${told})`, () => Object(value) as unknown);
});

/** An empty BigInt array is an object like another: nothing of it is a BigInt. */
const emptyBigInts = recipe("new BigInt64Array()", () => new BigInt64Array());

export const leaf: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 4, arbitrary: text.map(constant) },
  { weight: 4, arbitrary: number.map(constant) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, -0, 0, "").map(constant) },
  { weight: 2, arbitrary: oneOf(noPlaceInJson) },
  { weight: 2, arbitrary: oneOf([...builtIn, emptyBigInts]) },
  { weight: 1, arbitrary: dated },
  { weight: 1, arbitrary: typedArray },
  { weight: 1, arbitrary: buffer },
  { weight: 1, arbitrary: boxed },
);
