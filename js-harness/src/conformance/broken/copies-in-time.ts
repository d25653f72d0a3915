// Faults of repositories that keep what belongs to their caller, or hand out what is theirs.

import type { RunResult } from "skein-results";

import { aTurn } from "../testing/a-turn.js";
import type { BrokenStores } from "../testing/broken-store.js";

export const brokenCopiesInTime: BrokenStores = {
  "takes the text of a result in another turn": {
    runs: (own) => ({
      ...own,
      recordResult: async (runId, result) => {
        await aTurn();
        await own.recordResult(runId, result);
      },
    }),
    caughtBy: "a change right after recordResult was called changes nothing stored",
  },
  "copies a result only at its surface": {
    runs: (own) => ({
      ...own,
      recordResult: async (runId, result) => {
        const copy = { ...result };
        await aTurn();
        await own.recordResult(runId, copy);
      },
    }),
    caughtBy: "a change right after recordResult was called changes nothing stored",
  },
  "keeps a live reference to what was recorded": {
    runs: (own) => {
      const live = new Map<string, RunResult>();
      return {
        ...own,
        recordResult: async (runId, result) => {
          if (!(await own.getResult(runId))) live.set(runId, result);
          await own.recordResult(runId, result);
        },
        getResult: async (runId) => (await own.getResult(runId)) && (live.get(runId) ?? null),
      };
    },
    caughtBy: "a change after recordResult was done changes nothing stored",
  },
  "takes the text of a settled result in another turn": {
    runs: (own) => ({
      ...own,
      settleRun: async (runId, settle) => {
        await aTurn();
        return (await own.settleRun?.(runId, settle)) ?? null;
      },
    }),
    caughtBy: "a change right after settleRun was called changes nothing stored",
  },
  "hands out the same object to every reader": {
    runs: (own) => {
      const read = new Map<string, RunResult>();
      return {
        ...own,
        getResult: async (runId) => {
          const result = await own.getResult(runId);
          if (!result) return null;
          if (!read.has(runId)) read.set(runId, result);
          return read.get(runId) ?? result;
        },
      };
    },
    caughtBy: "a change to what getResult returned changes nothing stored",
  },
  "hands out the same object to every export": {
    runs: (own) => {
      const read = new Map<string, RunResult>();
      return {
        ...own,
        getResult: async (runId) => read.get(runId) ?? (await own.getResult(runId)),
        exportResults: async (runIds) => {
          const entries = await own.exportResults(runIds);
          for (const [runId, result] of entries) read.set(runId, result);
          return entries;
        },
      };
    },
    caughtBy: "a change to an exported result changes nothing stored",
  },
  "keeps repeated objects as one": {
    runs: (own) => ({
      ...own,
      getResult: async (runId) => withSharedTwins(await own.getResult(runId)),
    }),
    caughtBy: "an object that stands in several places is an object of its own in each",
  },
};

/** As a serializer with references reads: what was written alike is one object. */
function withSharedTwins<T>(result: T): T {
  const known = new Map<string, unknown>();
  return JSON.parse(JSON.stringify(result), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    if (!known.has(text)) known.set(text, value);
    return known.get(text);
  }) as T;
}
