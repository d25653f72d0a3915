// Stores that lack something, or offer it in another shape, and keep every rule about the rest.

import type { ResultMethods, TaskMethods } from "skein-results";

import { describeConformance } from "./testing/describe-conformance.js";
import { openPlainStore } from "./testing/plain-store.js";

const TASK_METHODS = ["taskPage", "cancelPausedRun", "passOverPaused", "admitResume"];

describeConformance("a driver of somebody else", () => openPlainStore());

describeConformance(
  "a driver of nothing but record and read",
  () =>
    openPlainStore({
      driver: ({ record, read }) => ({ record, read }),
      oneByOne: ["attachResults", "copyResults"],
    }),
  [
    ...["settleRun", "cancelRun", "startRun", "transaction", ...TASK_METHODS],
    ...["attachResults in one step", "copyResults in one step"],
  ],
);

describeConformance("a driver that answers everything with a promise", () =>
  openPlainStore({
    driver: (own) => ({
      record: async (...given) => own.record(...given),
      read: async (...given) => own.read(...given),
      settle: async (...given) => own.settle(...given),
      cancel: async (...given) => own.cancel(...given),
      start: async (...given) => own.start(...given),
      readMany: async (...given) => own.readMany(...given),
      attachMany: async (...given) => own.attachMany(...given),
      copyMany: async (...given) => own.copyMany(...given),
      taskPage: async (...given) => own.taskPage(...given),
      cancelPaused: async (...given) => own.cancelPaused(...given),
      passOver: async (...given) => own.passOver(...given),
      admitResume: async (...given) => own.admitResume(...given),
    }),
  }),
);

describeConformance(
  "a repository of the two methods alone",
  () =>
    openPlainStore({
      runs: (own) => ({
        recordResult: (...given) => own.recordResult(...given),
        getResult: (...given) => own.getResult(...given),
      }),
    }),
  [
    "settleRun",
    "cancelRun",
    "startRun",
    "exportResults",
    "attachResults",
    "copyResults",
    ...TASK_METHODS,
  ],
);

describeConformance("a repository of a class, whose methods use this", () =>
  openPlainStore({ runs: (own) => new Repository(own) }),
);

describeConformance("a repository behind a proxy", () =>
  openPlainStore({
    runs: (own) => new Proxy(own, { get: (target, name) => Reflect.get(target, name) as unknown }),
  }),
);

class Repository {
  readonly #own: ResultMethods & TaskMethods;

  constructor(own: ResultMethods & TaskMethods) {
    this.#own = own;
  }

  recordResult(...given: Parameters<ResultMethods["recordResult"]>) {
    return this.#own.recordResult(...given);
  }

  getResult(...given: Parameters<ResultMethods["getResult"]>) {
    return this.#own.getResult(...given);
  }

  settleRun(...given: Parameters<NonNullable<ResultMethods["settleRun"]>>) {
    return this.#own.settleRun?.(...given) ?? Promise.resolve(null);
  }

  cancelRun(...given: Parameters<NonNullable<ResultMethods["cancelRun"]>>) {
    return this.#own.cancelRun?.(...given) ?? Promise.resolve(null);
  }

  startRun(...given: Parameters<NonNullable<ResultMethods["startRun"]>>) {
    return this.#own.startRun?.(...given) ?? Promise.resolve(null);
  }

  exportResults(...given: Parameters<ResultMethods["exportResults"]>) {
    return this.#own.exportResults(...given);
  }

  attachResults(...given: Parameters<ResultMethods["attachResults"]>) {
    return this.#own.attachResults(...given);
  }

  copyResults(...given: Parameters<ResultMethods["copyResults"]>) {
    return this.#own.copyResults(...given);
  }

  taskPage(...given: Parameters<TaskMethods["taskPage"]>) {
    return this.#own.taskPage(...given);
  }

  cancelPausedRun(...given: Parameters<TaskMethods["cancelPausedRun"]>) {
    return this.#own.cancelPausedRun(...given);
  }

  passOverPaused(...given: Parameters<TaskMethods["passOverPaused"]>) {
    return this.#own.passOverPaused(...given);
  }

  admitResume(...given: Parameters<TaskMethods["admitResume"]>) {
    return this.#own.admitResume(...given);
  }
}
