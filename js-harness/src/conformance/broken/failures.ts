// Faults of repositories that hide a failed capture, or leave half of it.

import { isSkeinResultsError } from "skein-results";

import type { BrokenStores } from "../testing/broken-store.js";

export const brokenFailures: BrokenStores = {
  "swallows a failure": {
    runs: (own) => ({
      ...own,
      recordResult: (runId, result) => own.recordResult(runId, result).catch(() => undefined),
    }),
    caughtBy: "a value that JSON cannot carry fails the record, and nothing is stored",
  },
  "stores the text of a failure in place of the result": {
    runs: (own) => ({
      ...own,
      recordResult: (runId, result) =>
        own.recordResult(runId, result).catch((error: unknown) => {
          void own.recordResult(runId, { values: { error: String(error) } });
          throw error;
        }),
    }),
    caughtBy: "a value that JSON cannot carry fails the record, and nothing is stored",
  },
  "stores the members that can be carried": {
    runs: (own) => ({
      ...own,
      recordResult: async (runId, { values, ...rest }) => {
        await own.recordResult(runId, { values });
        await own.recordResult(runId, { values, ...rest });
      },
    }),
    caughtBy: "a value that JSON cannot carry fails the record, and nothing is stored",
  },
  "writes a BigInt as a text": {
    runs: (own) => ({
      ...own,
      recordResult: (runId, result) =>
        own
          .recordResult(runId, result)
          .catch(() => own.recordResult(runId, withoutBigInts(result))),
    }),
    caughtBy: "a value that JSON cannot carry fails the record, and nothing is stored",
  },
  "fails with an error of no code": {
    runs: (own) => ({
      ...own,
      recordResult: (runId, result) =>
        own.recordResult(runId, result).catch(() => {
          throw new Error("Converting circular structure to JSON");
        }),
    }),
    caughtBy: "a value that JSON cannot carry fails the record, and nothing is stored",
  },
  "cuts what is too deep": {
    runs: (own) => ({
      ...own,
      recordResult: async (runId, result) => {
        try {
          await own.recordResult(runId, result);
        } catch (error) {
          if (!isSkeinResultsError(error) || error.code !== "too_deep") throw error;
          await own.recordResult(runId, { values: { cut: true } });
        }
      },
    }),
    caughtBy: "a value nested too deep fails the record, and nothing is stored",
  },
  "takes anything for a result": {
    runs: (own) => ({
      ...own,
      recordResult: (runId, result) => {
        const given: unknown = result;
        const isResult = typeof given === "object" && given !== null && "values" in given;
        return own.recordResult(runId, isResult ? result : { values: {} });
      },
    }),
    caughtBy: "what is no result fails the record, and nothing is stored",
  },
  "looks for the run before it looks at the result": {
    runs: (own, rows) => ({
      ...own,
      recordResult: async (runId, result) => {
        if (rows.has(runId)) await own.recordResult(runId, result);
      },
    }),
    caughtBy: "a failure is told even where the run is unknown",
  },
  "erases a first result when a later one fails": {
    runs: (own, rows) => ({
      ...own,
      recordResult: (runId, result) =>
        own.recordResult(runId, result).catch((error: unknown) => {
          delete rows.get(runId)?.texts;
          throw error;
        }),
    }),
    caughtBy: "a failure after a first result leaves the first",
  },
};

function withoutBigInts<T>(value: T): T {
  const text = JSON.stringify(value, (_key, leaf: unknown) =>
    typeof leaf === "bigint" ? leaf.toString() : leaf,
  );
  return JSON.parse(text) as T;
}
