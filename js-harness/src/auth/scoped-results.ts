// The result methods of a scoped store: each is there only where the store has it, checks the run
// through the scoped access first, and calls through on the store's own object.

import { resultMethods, type ResultTexts, type RunResult } from "skein-results";

import type { RunRepo } from "../stores/contract.js";

import type { Caller } from "./caller.js";
import { offers } from "./offers.js";
import { ownerOf, requireWrite, stamped } from "./ownership.js";

type ScopedResults = Pick<
  RunRepo,
  | "recordResult"
  | "getResult"
  | "settleRun"
  | "cancelRun"
  | "startRun"
  | "exportResults"
  | "taskPage"
  | "cancelPausedRun"
  | "passOverPaused"
>;

/** @param mayRead whether the run is there for the caller */
export function scopedResults(
  runs: RunRepo,
  caller: Caller,
  mayRead: (runId: string) => Promise<boolean>,
): ScopedResults {
  const scoped: ScopedResults = {};
  const taking = takingTheTextAtOnce(runs, mayRead);

  if (offers(runs, "recordResult")) {
    scoped.recordResult = async (runId, result) => {
      requireWrite(caller);
      await taking.recordResult(runId, result);
    };
  }
  if (offers(runs, "getResult")) {
    scoped.getResult = async (runId) => ((await mayRead(runId)) ? runs.getResult(runId) : null);
  }
  if (offers(runs, "settleRun")) {
    scoped.settleRun = async (runId, settle) => {
      requireWrite(caller);
      return taking.settleRun(runId, settle);
    };
  }
  if (offers(runs, "cancelRun")) {
    scoped.cancelRun = async (runId) => {
      requireWrite(caller);
      return (await mayRead(runId)) ? runs.cancelRun(runId) : null;
    };
  }
  if (offers(runs, "startRun")) {
    scoped.startRun = async (runId) => {
      requireWrite(caller);
      return (await mayRead(runId)) ? runs.startRun(runId) : null;
    };
  }
  if (offers(runs, "exportResults")) {
    scoped.exportResults = async (runIds) => {
      const allowed = await Promise.all(runIds.map(mayRead));
      return runs.exportResults(runIds.filter((_, place) => allowed[place]));
    };
  }
  if (offers(runs, "taskPage")) {
    scoped.taskPage = (query) =>
      runs.taskPage({ ...query, metadata: stamped(query.metadata, ownerOf(caller)) });
  }
  if (offers(runs, "cancelPausedRun")) {
    scoped.cancelPausedRun = async (runId) => {
      requireWrite(caller);
      return (await mayRead(runId)) ? runs.cancelPausedRun(runId) : null;
    };
  }
  if (offers(runs, "passOverPaused")) {
    scoped.passOverPaused = async (runId) => {
      requireWrite(caller);
      if (await mayRead(runId)) await runs.passOverPaused(runId);
    };
  }
  return scoped;
}

/**
 * A result is what it was when the method was called, and the check of the run takes time. So the
 * package takes the text first, and the store is given what was in it.
 */
function takingTheTextAtOnce(runs: RunRepo, mayRead: (runId: string) => Promise<boolean>) {
  return resultMethods({
    record: async (runId, texts) => {
      if (await mayRead(runId)) await runs.recordResult?.(runId, resultIn(texts));
    },
    read: () => null,
    settle: async (runId, { status, error, result, delivery }) => {
      if (!(await mayRead(runId))) return null;
      const settle = { status, error, delivery, ...(result ? { result: resultIn(result) } : {}) };
      return (await runs.settleRun?.(runId, settle)) ?? null;
    },
  });
}

function resultIn({ values, interrupts, reply, checkpoint }: ResultTexts): RunResult {
  const parsed = (name: string, text: string | null): object =>
    text === null ? {} : { [name]: JSON.parse(text) as unknown };
  return {
    values: JSON.parse(values) as RunResult["values"],
    ...parsed("interrupts", interrupts),
    ...parsed("reply", reply),
    ...parsed("checkpoint", checkpoint),
  };
}
