// Values that JSON cannot carry, of every kind.

import { boom, nested, revoked } from "../../testing/hostile.js";

import { CYCLES, type Unwritable } from "./cycles.js";

const thrown = (told: string, at: string, make: () => unknown): Unwritable => {
  return { told, at, make, code: "not_serializable" };
};

export const UNWRITABLE: readonly Unwritable[] = [
  ...CYCLES,
  thrown("a BigInt", ".n", () => ({ n: 5n })),
  thrown("a BigInt beyond all numbers", ".list[1]", () => ({ list: [1, 2n ** 70n] })),
  thrown("a boxed BigInt", ".n", () => ({ n: Object(1n) as unknown })),
  thrown("an array of BigInts", ".n[0]", () => ({ n: new BigInt64Array([5n]) })),
  thrown("a getter that throws", ".x", () => ({
    get x() {
      return boom();
    },
  })),
  thrown("a revoked proxy", ".gone", () => ({ gone: revoked() })),
  thrown("a toJSON that throws a number", ".n", () => ({
    n: {
      toJSON: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- host code may throw anything
        throw 1;
      },
    },
  })),
  thrown("a toDict that throws", ".message", () => ({ message: { toDict: boom } })),
  {
    told: "5,000 levels",
    at: /^(\[0\]){900}/,
    make: () => nested(5_000),
    code: "too_deep",
  },
];
