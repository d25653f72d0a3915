// Objects that say themselves what they are on the wire.

import fc from "fast-check";

import { key } from "./containers.js";
import { recipe, type Recipe } from "./recipe.js";

/** An object with methods: what it says is made when it is asked. */
type MakeSelfMade = (inside: Recipe, name: string) => object;

const KINDS: Readonly<Record<string, MakeSelfMade>> = {
  "toJSON answers": ({ make }) => ({ unseen: 1n, toJSON: make }),
  "toJSON answers by its key": ({ make }) => ({ toJSON: (key: string) => ({ key, is: make() }) }),
  "toJSON answers one with a toJSON": ({ make }) => ({
    toJSON: () => ({ toJSON: () => "never asked", is: make() }),
  }),
  "toJSON answers a message": ({ make }) => ({
    toJSON: () => ({ toDict: () => ({ type: "never asked" }), is: make() }),
  }),
  "a Date with a toJSON of its own": ({ make }) =>
    Object.assign(new Date(0), { toJSON: () => make() }),
  "a Map with a toJSON": ({ make }) => Object.assign(new Map([["a", 1]]), { toJSON: make }),
  "toDict answers": ({ make }, name) => ({
    unseen: 1n,
    toDict: () => ({ type: "custom", data: { [name]: make() } }),
  }),
  "toDict whose data has a type": ({ make }) => ({
    toDict: () => ({ type: "outer", data: { before: 1, type: "inner", after: make() } }),
  }),
  "toDict whose data is": ({ make }) => ({ toDict: () => ({ type: "custom", data: make() }) }),
  "toDict without data": () => ({ toDict: () => ({ type: "bare" }) }),
  "toDict whose type is": ({ make }) => ({ toDict: () => ({ type: make(), data: { a: 1 } }) }),
  "toDict within a toDict": ({ make }) => ({
    toDict: () => ({
      type: "outer",
      data: { inner: { toDict: () => ({ type: "inner", data: { is: make() } }) } },
    }),
  }),
  "toDict and toJSON": ({ make }) => ({
    toDict: () => ({ type: "custom", data: { is: make() } }),
    toJSON: () => "never written",
  }),
  "toDict that is inherited": ({ make }) =>
    Object.create({ toDict: () => ({ type: "inherited", data: { is: make() } }) }) as object,
  "toDict on an array": ({ make }) =>
    Object.assign([1, 2], { toDict: () => ({ type: "list", data: [make()] }) }),
  "toDict behind a proxy": ({ make }) =>
    new Proxy({ toDict: () => ({ type: "proxied", data: { is: make() } }) }, {}),
};

export const selfMade = (inside: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  fc
    .tuple(fc.constantFrom(...Object.entries(KINDS)), inside, key)
    .map(([[kind, make], held, name]) =>
      recipe(`{ ${kind}: ${held.told} }`, () => make(held, name)),
    );
