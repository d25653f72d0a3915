// Live values of every kind that a graph's state may hold.

import fc from "fast-check";

import { container } from "./containers.js";
import { leaf } from "./leaves.js";
import { message } from "./messages.js";
import { recipe, type Recipe } from "./recipe.js";
import { selfMade } from "./self-made.js";

export { messageClasses } from "./messages.js";
export { key } from "./containers.js";
export { recipe, type Recipe } from "./recipe.js";

/** Any live value that the host's serializer can carry. */
export const { liveValue } = fc.letrec<{ liveValue: Recipe }>((tie) => ({
  liveValue: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 5, arbitrary: container(tie("liveValue")) },
    { weight: 2, arbitrary: selfMade(tie("liveValue")) },
    { weight: 2, arbitrary: message(tie("liveValue")) },
  ),
}));

/** A result with any live values as its members; those that it may lack are lacking at times. */
export const liveResult: fc.Arbitrary<Recipe> = fc
  .record(
    { values: liveValue, interrupts: liveValue, reply: liveValue, checkpoint: liveValue },
    { requiredKeys: ["values"] },
  )
  .map((members) => {
    const entries = Object.entries(members);
    const told = entries.map(([name, { told }]) => `${name}: ${told}`).join(", ");
    return recipe(`{ ${told} }`, () =>
      Object.fromEntries(entries.map(([name, { make }]) => [name, make()])),
    );
  });
