// Faults of repositories that write a result in a way of their own.

import type { RunResult } from "skein-results";

import type { BrokenStore, BrokenStores } from "../testing/broken-store.js";

/** A repository that records what another serializer makes of a result. */
const serializing = (caughtBy: string, written: (result: RunResult) => unknown): BrokenStore => ({
  runs: (own) => ({
    ...own,
    // As in a store that writes at once: what cannot be written is a rejection.
    recordResult: async (runId, result) => own.recordResult(runId, written(result) as RunResult),
  }),
  caughtBy,
});

export const brokenSerializers: BrokenStores = {
  "writes messages as toJSON has them": serializing(
    "an object is stored as its toDict or its toJSON says, at every place",
    (result) => JSON.parse(JSON.stringify(result)),
  ),
  "flattens messages only in a list of them": serializing(
    "an object is stored as its toDict or its toJSON says, at every place",
    ({ values, ...rest }) => ({ values, ...(JSON.parse(JSON.stringify(rest)) as object) }),
  ),
  "writes NaN as a text": serializing(
    "what JSON has no place for becomes null or is left out, as on the wire",
    (result) => replacing(result, (leaf) => (Number.isNaN(leaf) ? "NaN" : leaf)),
  ),
  "writes a Map as its entries": serializing(
    "an object of a class is stored as JSON writes it",
    (result) => replacing(result, (leaf) => (leaf instanceof Map ? [...leaf] : leaf)),
  ),
  "clones a result before it writes it": serializing(
    "an object of a class is stored as JSON writes it",
    (result) => structuredClone(result),
  ),
  "asks toJSON without its key": serializing("toJSON is asked under its own key", (result) => ({
    ...result,
    values: asked(result.values),
  })),
  "reads a getter twice": serializing(
    "an object is stored as its toDict or its toJSON says, at every place",
    (result) => {
      JSON.stringify(result, (_key, leaf: unknown) => (typeof leaf === "bigint" ? null : leaf));
      return result;
    },
  ),
  "refuses values that JSON leaves out": serializing(
    "values that JSON leaves out are null",
    (result) => {
      if ((JSON.stringify(result.values) as unknown) === undefined) throw new Error("no values");
      return result;
    },
  ),
  "keeps members that no result has": {
    runs: (own) => {
      const more = new Map<string, object>();
      return {
        ...own,
        recordResult: async (runId, result) => {
          await own.recordResult(runId, result);
          if (!more.has(runId)) more.set(runId, { ...result });
        },
        getResult: async (runId) => {
          const result = await own.getResult(runId);
          return result && { ...more.get(runId), ...result };
        },
      };
    },
    caughtBy: "a member that no result has is not kept",
  },
};

function replacing(result: RunResult, changed: (leaf: unknown) => unknown): unknown {
  return JSON.parse(JSON.stringify(result, (_key, leaf: unknown) => changed(leaf)));
}

function asked(values: unknown): unknown {
  const hasToJson = typeof values === "object" && values !== null && "toJSON" in values;
  return hasToJson && typeof values.toJSON === "function"
    ? (values.toJSON as () => unknown)()
    : values;
}
