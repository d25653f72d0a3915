/**
 * The contract about results and tasks, as cases that the author of a driver runs against a store of their own.
 *
 * @packageDocumentation
 */

import { requireFunction } from "../wasm/argument.js";

import { casesOf, type ConformanceCase } from "./case.js";
import { cancellations } from "./cases/cancellations.js";
import { defensiveCopies } from "./cases/defensive-copies.js";
import { erasure } from "./cases/erasure.js";
import { exports } from "./cases/exports.js";
import { failedCaptures } from "./cases/failed-captures.js";
import { firstWrite } from "./cases/first-write.js";
import { imports } from "./cases/imports.js";
import { offeredMethods } from "./cases/offered-methods.js";
import { oneStepCopies } from "./cases/one-step-copies.js";
import { ordinaryRows } from "./cases/ordinary-rows.js";
import { passedOverTasks } from "./cases/passed-over-tasks.js";
import { pausedCancellations } from "./cases/paused-cancellations.js";
import { races } from "./cases/races.js";
import { reopenings } from "./cases/reopenings.js";
import { resumeAdmissions } from "./cases/resume-admissions.js";
import { settlements } from "./cases/settlements.js";
import { settles } from "./cases/settles.js";
import { starts } from "./cases/starts.js";
import { taskAnswers } from "./cases/task-answers.js";
import { taskFilters } from "./cases/task-filters.js";
import { taskOrder } from "./cases/task-order.js";
import { tasks } from "./cases/tasks.js";
import { threadCopies } from "./cases/thread-copies.js";
import { unknownRuns } from "./cases/unknown-runs.js";
import { wireJson } from "./cases/wire-json.js";
import type { OpenStore } from "./store-under-test.js";

export type { CaseOutcome, ConformanceCase } from "./case.js";
export type {
  HostTransaction,
  NewRun,
  OneByOne,
  OpenStore,
  RunRow,
  RunsUnderTest,
  StoreUnderTest,
} from "./store-under-test.js";
export { ContractViolation } from "./violation.js";

/** Every rule, in the order in which a new driver meets them. */
const LISTS = [
  offeredMethods,
  firstWrite,
  unknownRuns,
  defensiveCopies,
  wireJson,
  failedCaptures,
  races,
  settles,
  starts,
  cancellations,
  settlements,
  erasure,
  exports,
  imports,
  threadCopies,
  oneStepCopies,
  tasks,
  taskAnswers,
  taskFilters,
  taskOrder,
  pausedCancellations,
  passedOverTasks,
  resumeAdmissions,
  ordinaryRows,
  reopenings,
];

/**
 * Every rule of the contract about results and tasks, each as a case for any test runner.
 *
 * A case opens a store of its own and closes it. It resolves if the store keeps the rule, with what
 * the store `lacks` where the rule is about something optional that it does not have; it throws a
 * {@link ContractViolation} with a sentence otherwise. Give the slowest ones a minute on a store that is far away.
 *
 * @param open opens a store; see {@link StoreUnderTest} for what it forwards
 * @throws `invalid_argument`
 *
 * @example node:test
 * ```ts
 * for (const { name, run } of conformanceCases(openMyStore)) {
 *   test(name, async (t) => { const { lacks } = await run(); if (lacks) t.skip(`no ${lacks}`); });
 * }
 * ```
 *
 * @example vitest
 * ```ts
 * for (const { name, run } of conformanceCases(openMyStore)) {
 *   it(name, async ({ skip }) => { const { lacks } = await run(); if (lacks) skip(`no ${lacks}`); });
 * }
 * ```
 */
export function conformanceCases(open: OpenStore): readonly ConformanceCase[] {
  requireFunction("open", open);
  return LISTS.flatMap((list) => casesOf(list, open));
}
