// What a store offers is real, and what it does not have is absent (contract 10).

import { supportsResults } from "../../results/support.js";
import type { CaseList } from "../case.js";
import { demand, shown } from "../violation.js";

const METHODS = [
  "recordResult",
  "getResult",
  "settleRun",
  "cancelRun",
  "startRun",
  "exportResults",
  "attachResults",
  "copyResults",
  "taskPage",
  "cancelPausedRun",
  "passOverPaused",
  "admitResume",
] as const;

export const offeredMethods: CaseList = {
  "a store that keeps results offers recordResult and getResult": async (trial) => {
    demand(
      supportsResults(trial.runs),
      "A store that keeps results must offer both recordResult and getResult.",
    );
    await trial.step();
    demand(supportsResults(trial.runs), "A store must offer the same after it was opened again.");
  },

  "a method that a store does not have is absent, and nothing else stands in its place": (
    trial,
  ) => {
    for (const method of METHODS) {
      const found: unknown = trial.runs[method];
      demand(
        found === undefined || typeof found === "function",
        `What stands under ${method} must be a function or nothing, and is ${shown(found)}.`,
      );
    }
    return Promise.resolve();
  },
};
