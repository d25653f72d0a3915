// A list of tasks holds what its query asks for and nothing else (A2A 3.1.4): by thread, by the caller's
// scope, by state and by the time of the status.

import type { RunResult, RunStatus } from "../../wasm/shapes.js";
import type { TaskState } from "../../tasks/view.js";
import type { CaseList } from "../case.js";
import { aMoment, type Trial } from "../trial.js";
import { newPause, newScope, newTurn, NO_PAUSES, pause, taskIds, theTask } from "../trial-tasks.js";
import { demandFailure, demandSame } from "../violation.js";

export const taskFilters: CaseList = {
  "the tasks of a thread are found by it, and no others": async (trial) => {
    const one = await newTurn(trial);
    const other = await newTurn(trial, { threadId: one.threadId });
    const elsewhere = await newTurn(trial);
    await trial.step();

    const found = await taskIds(trial, { thread: one.threadId });
    demandSame(found.sort(), [one.runId, other.runId].sort(), "The tasks of a thread");
    const task = elsewhere.runId;
    demandSame(await taskIds(trial, { thread: one.threadId, task }), [], "Another thread's task");
  },

  "tasks are found by the metadata that their runs contain, and by no others": async (trial) => {
    const scope = newScope();
    const threadId = await trial.newThread();
    for (const [own, wanted, isFound] of SCOPES) {
      const { runId } = await newTurn(trial, { threadId, metadata: { ...scope, own } });
      await trial.step();

      const found = await taskIds(trial, { task: runId, metadata: { ...scope, own: wanted } });
      demandSame(
        found,
        isFound ? [runId] : [],
        `Of metadata ${JSON.stringify(own)} the tasks that contain ${JSON.stringify(wanted)}`,
      );
      await trial.deleteRun(runId);
    }
    const { runId } = await newTurn(trial, { metadata: scope });
    demandSame(
      await taskIds(trial, { metadata: { ...scope, own: null } }),
      [],
      "A member that is not there",
    );
    demandSame(await taskIds(trial, { metadata: scope }), [runId], "The tasks of a scope");
    demandSame(await taskIds(trial, { metadata: newScope() }), [], "The tasks of another scope");
  },

  "a scope that no metadata can hold finds nothing": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial);
    for (const text of ["a\u0000b", "half \ud83d"]) {
      for (const metadata of [{ own: text }, { [text]: 1 }]) {
        const found = await taskIds(trial, { task, thread: threadId, metadata });
        demandSame(found, [], "The tasks of a scope that no metadata can hold");
      }
    }
  },

  "a scope with a list in it is refused": async (trial) => {
    for (const metadata of [{ tags: [] }, { own: { roles: ["admin"] } }]) {
      await demandFailure(
        trial.tasks({ metadata }),
        ["invalid_argument"],
        "A list of tasks by a list in their metadata",
      );
    }
  },

  "tasks are found by their state": async (trial) => {
    const metadata = newScope();
    const expected = await tasksByState(trial, metadata);
    await trial.step();

    for (const [state, tasks] of expected) {
      const page = await trial.tasks({ metadata, state, count: true });
      demandSame(
        page.tasks.map(({ task }) => task).sort(),
        tasks.sort(),
        `The tasks that are ${state}`,
      );
      demandSame(page.total, tasks.length, `The number of tasks that are ${state}`);
    }
  },

  "a paused task that a later run has left behind is canceled, and one that waits behind it is not":
    async (trial) => {
      const left = await newPause(trial);
      const waiting = await newPause(trial);
      await trial.newRun({ threadId: left.threadId, status: "running" });
      await trial.newRun({ threadId: waiting.threadId, status: "pending" });
      await trial.step();

      for (const [{ runId: task, threadId: thread }, movedOn, state, other] of [
        [left, true, "canceled", "input-required"],
        [waiting, false, "input-required", "canceled"],
      ] as const) {
        const shown = await theTask(trial, task);
        demandSame(shown.movedOn, movedOn, "Whether a later run has started on the thread");
        demandSame(await taskIds(trial, { thread, state }), [task], `A task that is ${state}`);
        demandSame(await taskIds(trial, { thread, state: other }), [], `And is not ${other}`);
      }
    },

  "a run of another thread leaves no paused task behind, and an earlier one neither": async (
    trial,
  ) => {
    const threadId = await trial.newThread();
    await trial.newRun({ threadId, status: "success" });
    const { runId: task } = await newPause(trial, { threadId });
    await trial.newRun({ status: "running" });
    await trial.step();

    demandSame((await theTask(trial, task)).movedOn, false, "Whether a later run has started");
    const found = await taskIds(trial, { thread: threadId, state: "input-required" });
    demandSame(found, [task], "The tasks that wait for input");
  },

  "tasks are found by the time of their status, that very moment included": async (trial) => {
    const { threadId, runId: earlier } = await newTurn(trial, { status: "success" });
    await aMoment();
    const { runId: then } = await newTurn(trial, { threadId, status: "success" });
    await aMoment();
    const { runId: later } = await newTurn(trial, { threadId, status: "success" });
    await trial.step();

    const { at } = await theTask(trial, then);
    const found = async (since: string) => {
      const page = await trial.tasks({ thread: threadId, since, count: true });
      demandSame(page.total, page.tasks.length, "The number of tasks since a time");
      return page.tasks.map(({ task }) => task);
    };

    demandSame(await found(at), [later, then], "The tasks since the time of one of them");
    const moment = Date.parse(at);
    const whole = new Date(moment - (moment % 1_000)).toISOString().replace(".000Z", "Z");
    demandSame((await found(whole)).slice(0, 2), [later, then], "The tasks since a whole second");
    const next = new Date(moment + 1).toISOString();
    demandSame(await found(next), [later], "The tasks since the millisecond after");
    const behind = at.replace(/(\.\d{3})\d*Z$/, "$1999999Z");
    demandSame(await found(behind), [later], "The tasks since less than a millisecond after");
    demandSame(
      (await found(new Date(0).toISOString())).sort(),
      [earlier, then, later].sort(),
      "The tasks since ever",
    );
  },
};

/** What a run has, what is asked for, and whether it contains that. */
const SCOPES: readonly (readonly [own: unknown, wanted: unknown, isFound: boolean])[] = [
  ["ann", "ann", true],
  ["ann", "Ann", false],
  ["ann", "an", false],
  ["ann", null, false],
  [null, null, true],
  [1, 1, true],
  [1.5, 1.5, true],
  [1, "1", false],
  [1, true, false],
  [true, true, true],
  [false, true, false],
  [false, 0, false],
  [0, null, false],
  ["", null, false],
  ["'; --", "'; --", true],
  ["%", "a", false],
  [{ user: "ann", tenant: "acme" }, { user: "ann" }, true],
  [{ user: "ann", tenant: "acme" }, { tenant: "acme", user: "ann" }, true],
  [{ user: "ann", tenant: "acme" }, { user: "ann", tenant: "other" }, false],
  [{ user: "ann" }, { user: "ann", tenant: "acme" }, false],
  [{ user: "ann" }, "ann", false],
  [{ user: "ann" }, {}, true],
  ["ann", {}, false],
  [null, {}, false],
  [["ann"], {}, false],
  [["ann"], "ann", false],
  [["ann"], { 0: "ann" }, false],
  [{ "a.b": 1 }, { "a.b": 1 }, true],
  [{ "a.b": 1 }, { a: { b: 1 } }, false],
  [{ a: { b: 1 } }, { "a.b": 1 }, false],
  [{ 'a"b': 1 }, { 'a"b': 1 }, true],
  [{ 'a"."b': 1 }, { a: { b: 1 } }, false],
  [{ "a'b": 1 }, { "a'b": 1 }, true],
  [{ "": 1 }, { "": 1 }, true],
  [{ "a[0]": 1 }, { "a[0]": 1 }, true],
  [{ $: 1 }, { $: 1 }, true],
  [{ "\u{1F600}": "\u{1F600}" }, { "\u{1F600}": "\u{1F600}" }, true],
];

/** Creates tasks in every state, each on a thread of its own. */
async function tasksByState(
  trial: Trial,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Map<TaskState, string[]>> {
  const expected = new Map<TaskState, string[]>();
  const add = async (state: TaskState, status: RunStatus, result?: RunResult) => {
    const given = { status, metadata, ...(result ? { result } : {}) };
    const { runId } = await newTurn(trial, given);
    expected.set(state, [...(expected.get(state) ?? []), runId]);
  };
  const { interrupts: _interrupts, ...atBreakpoint } = pause("where");
  const { checkpoint: _checkpoint, ...asking } = pause("what");
  await add("submitted", "pending");
  await add("working", "running", pause("not yet"));
  await add("completed", "success", pause("no more"));
  await add("failed", "error");
  await add("failed", "timeout");
  await add("canceled", "cancelled", pause("too late"));
  await add("input-required", "interrupted", pause("both"));
  await add("input-required", "interrupted", atBreakpoint);
  await add("input-required", "interrupted", asking);
  for (const nothing of NO_PAUSES) await add("canceled", "interrupted", nothing);
  return expected;
}
