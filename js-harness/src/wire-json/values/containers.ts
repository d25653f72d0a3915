// Arrays and objects of every make, with values inside them.

import fc from "fast-check";

import { text } from "./leaves.js";
import { recipe, toldAll, type Recipe } from "./recipe.js";

/** Keys that mean something to JavaScript, to a class or to a database, and any other. */
export const key: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "hasOwnProperty", "valueOf", "then"),
  fc.constantFrom("values", "reply", "type", "data", "lc", "id", "length", "toString", "$ref"),
  fc.integer({ min: 0, max: 20 }).map(String),
  fc.constantFrom("a", "b", "c", "4294967295", "-0", "1e3", "a\ud800", "a\ud801", "\0", ""),
  text,
);

type Member = readonly [key: string, inside: Recipe];

const told = (members: readonly Member[]): string =>
  members.map(([key, inside]) => `${JSON.stringify(key)}: ${inside.told}`).join(", ");

/** A member of the object's own, whatever its key means to an assignment. */
function define(target: object, [key, inside]: Member): void {
  const value = inside.make();
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function filled<T extends object>(target: T, members: readonly Member[]): T {
  for (const member of members) define(target, member);
  return target;
}

/** A getter for each member, which makes its value anew for each read. */
function withGetters(members: readonly Member[]): object {
  const target = {};
  for (const [key, { make }] of members) {
    Object.defineProperty(target, key, { enumerable: true, configurable: true, get: make });
  }
  return target;
}

class Instance {
  readonly #hidden = "hidden";
  static shared = 1;

  get visible(): string {
    return this.#hidden;
  }
}

/** Objects as they come, by what they are made of. */
const OBJECTS: Readonly<Record<string, (members: readonly Member[]) => object>> = {
  "{}": (members) => filled({}, members),
  "Object.create(null)": (members) => filled(Object.create(null) as object, members),
  "of a class": (members) => filled(new Instance(), members),
  "that inherits": (members) => filled(Object.create({ inherited: 1 }) as object, members),
  frozen: (members) => Object.freeze(filled({}, members)),
  "behind a proxy": (members) => new Proxy(filled({}, members), {}),
  "with getters": withGetters,
  "with a symbol key": (members) => filled({ [Symbol("k")]: 1 }, members),
  "with a hidden member": (members) =>
    filled(Object.defineProperty({}, "unseen", { value: 1n, enumerable: false }), members),
  "a Map of entries": (members) => new Map(members.map(([key, { make }]) => [key, make()])),
  "an Error with members": (members) => filled(new Error("x"), members),
  "with a toJSON that is no function": (members) => filled({ toJSON: 1, toDict: {} }, members),
};

const objectOf = (inside: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  fc
    .tuple(
      fc.constantFrom(...Object.entries(OBJECTS)),
      fc.uniqueArray(fc.tuple(key, inside), { maxLength: 5, selector: ([key]) => key }),
    )
    .map(([[kind, make], members]) => recipe(`{ ${kind}: ${told(members)} }`, () => make(members)));

class List extends Array<unknown> {}

const ARRAYS: Readonly<Record<string, (items: unknown[]) => object>> = {
  "[]": (items) => items,
  sparse: (items) => {
    const list: unknown[] = [];
    list[items.length * 2 + 1] = 1;
    items.forEach((item, index) => (list[index * 2] = item));
    return list;
  },
  "with more members": (items) => Object.assign(items, { more: 1, "-1": 2 }),
  "of a class": (items) => List.from(items),
  "behind a proxy": (items) => new Proxy(items, {}),
  frozen: (items) => Object.freeze(items),
  "a Set": (items) => new Set(items),
};

const arrayOf = (inside: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  fc
    .tuple(fc.constantFrom(...Object.entries(ARRAYS)), fc.array(inside, { maxLength: 5 }))
    .map(([[kind, make], items]) =>
      recipe(`[ ${kind}: ${toldAll(items)} ]`, () => make(items.map((item) => item.make()))),
    );

/** One object in several places, which is no cycle. */
const shared = (inside: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  inside.map(({ told, make }) =>
    recipe(`the same (${told}) four times`, () => {
      const same = make();
      return { x: same, y: [same, same], deep: { again: { same } } };
    }),
  );

/** What answers something else with each read. */
const changing = fc.constantFrom(
  recipe("a getter that counts", () => {
    let reads = 0;
    return {
      get reads() {
        return (reads += 1);
      },
    };
  }),
  recipe("a getter that takes turns between kinds", () => {
    const answers = ["text", { a: 1 }, undefined, [1, 2], { toDict: () => ({ type: "t" }) }, null];
    let reads = 0;
    return {
      before: 1,
      get turn() {
        return answers[(reads += 1) % answers.length];
      },
      after: 2,
    };
  }),
  recipe("a getter that adds a member to its object", () => {
    const grown: Record<string, unknown> = {};
    Object.defineProperty(grown, "first", {
      enumerable: true,
      get: () => ((grown["late"] = 1), "read"),
    });
    grown["second"] = { of: grown["first"] };
    return grown;
  }),
  recipe("an array that grows when it is read", () => {
    const list: unknown[] = [0, 1, 2];
    Object.defineProperty(list, 0, { enumerable: true, get: () => list.push("more") });
    return list;
  }),
  recipe("a getter that removes the next member", () => {
    const shrinking: Record<string, unknown> = {};
    Object.defineProperty(shrinking, "first", {
      enumerable: true,
      get: () => (delete shrinking["second"], 1),
    });
    return Object.assign(shrinking, { second: { a: 1 }, third: 3 });
  }),
);

export const container = (inside: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  fc.oneof(
    { weight: 4, arbitrary: objectOf(inside) },
    { weight: 4, arbitrary: arrayOf(inside) },
    { weight: 1, arbitrary: shared(inside) },
    { weight: 1, arbitrary: changing },
  );
