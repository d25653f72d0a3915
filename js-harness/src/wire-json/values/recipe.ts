import fc from "fast-check";

/**
 * How to make a live value. It is made anew for each reader, since reading may change it, and one recipe
 * makes the same each time.
 */
export interface Recipe {
  make: () => unknown;
  /** What it makes, as one would write it. */
  told: string;
}

export function recipe(told: string, make: () => unknown): Recipe {
  return { make, told, ...{ [fc.toStringMethod]: () => told } };
}

/** A value that is not changed by being read. */
export const constant = (value: string | number | boolean | null | undefined): Recipe =>
  recipe(typeof value === "number" ? numeral(value) : JSON.stringify(value), () => value);

const numeral = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

/** Recipes of which one is chosen. */
export const oneOf = (recipes: readonly Recipe[]): fc.Arbitrary<Recipe> =>
  fc.constantFrom(...recipes);

/** Some recipes as the items of a text. */
export const toldAll = (recipes: readonly Recipe[]): string =>
  recipes.map(({ told }) => told).join(", ");
