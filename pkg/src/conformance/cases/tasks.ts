// A task is a lineage of runs that the server has marked, shown by the last of them (contract 12).

import { RUN_MARK_KEY } from "../../tasks/mark.js";
import type { CaseList } from "../case.js";
import { newId } from "../trial.js";
import { newScope, newTurn, taskIds, theTask } from "../trial-tasks.js";
import { demand, demandSame } from "../violation.js";

export const tasks: CaseList = {
  "a task of one run is found by the id of that run": async (trial) => {
    const message = JSON.stringify({ text: "hello" });
    const started = Date.now();
    const { runId, threadId } = await newTurn(trial, { message, context: "mine" });
    await trial.step();

    const { at, ...task } = await theTask(trial, runId);

    demandSame(
      task,
      {
        run: runId,
        thread: threadId,
        status: "running",
        error: null,
        task: runId,
        turn: 0,
        messages: [message],
        context: "mine",
        movedOn: false,
        result: null,
      },
      "A task of one run",
    );
    // A clock of the store's own may go a little before this one.
    demand(
      /^\d{4}-\d\d-\d\dT.*Z$/.test(at) && Math.abs(Date.parse(at) - started) < 3_600_000,
      `The time of a task must be the one at which its run took its status, and is ${at}.`,
    );
  },

  "a task of several runs is shown by the last of them, with the messages of all in order": async (
    trial,
  ) => {
    const first = await newTurn(trial, { message: '"one"', status: "interrupted", context: "a" });
    const { runId: task, threadId } = first;
    // An import need not create them in the order of their turns.
    const last = await newTurn(trial, {
      ...{ task, threadId, turn: 3, message: '"four"' },
      ...{ status: "success", context: "d" },
    });
    await newTurn(trial, { task, threadId, turn: 1, message: null, status: "interrupted" });
    await newTurn(trial, { task, threadId, turn: 2, message: '"three"', status: "interrupted" });
    await newTurn(trial, { threadId, message: '"of another task"' });
    await trial.step();

    const shown = await theTask(trial, task);

    demandSame(
      [shown.run, shown.status, shown.task, shown.turn, shown.context],
      [last.runId, "success", task, 3, "d"],
      "The run that a task of several runs is shown by",
    );
    demandSame(
      shown.messages,
      ['"one"', null, '"three"', '"four"'],
      "The messages of a task of several runs",
    );
    demandSame(
      (await taskIds(trial, { thread: threadId })).length,
      2,
      "The number of tasks on the thread",
    );
  },

  "a task of two runs of one turn is shown by the one that was created last": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial, { status: "interrupted" });
    const turn = { task, threadId, turn: 1 };
    const earlier = await newTurn(trial, { ...turn, message: '"earlier"', status: "interrupted" });
    const later = await newTurn(trial, { ...turn, message: '"later"', status: "interrupted" });
    // A row that is written again may be stored behind those that were created after it.
    await trial.setStatus(earlier.runId, "interrupted");
    await trial.step();

    const { run, messages } = await theTask(trial, task);

    demandSame(run, later.runId, "The run that a task of two runs of one turn is shown by");
    demandSame(messages.slice(1), ['"earlier"', '"later"'], "Its messages");
  },

  "a task is found by its first run alone": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial, { status: "interrupted" });
    const later = await newTurn(trial, { task, threadId });
    const ordinary = await trial.newRun({ threadId });
    await trial.step();

    for (const { runId } of [later, ordinary, { runId: newId("run") }]) {
      demandSame(await taskIds(trial, { task: runId }), [], "What no task has as its first run");
    }
    demandSame(await taskIds(trial, { task }), [task], "What a task has as its first run");
  },

  "runs whose first run is gone are no task": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial, { status: "interrupted" });
    await newTurn(trial, { task, threadId });
    await trial.deleteRun(task);
    await trial.step();

    demandSame(await taskIds(trial, { task }), [], "The task of a first run that is gone");
    demandSame(await taskIds(trial, { thread: threadId }), [], "The tasks beside it");
  },

  "runs on another thread than their first one are no task, and add nothing to it": async (
    trial,
  ) => {
    const { runId: task, threadId } = await newTurn(trial, { message: '"mine"' });
    const elsewhere = await trial.newThread();
    await newTurn(trial, { task, threadId: elsewhere, turn: 1, message: '"not mine"' });
    await trial.step();

    demandSame(
      await taskIds(trial, { thread: elsewhere }),
      [],
      "The tasks of a thread on which only a later run of one is",
    );
    demandSame(await taskIds(trial, { task, thread: elsewhere }), [], "A task on another thread");
    const { run, messages } = await theTask(trial, task);
    demandSame([run, messages], [task, ['"mine"']], "The task of the other thread");
    demandSame(await taskIds(trial, { thread: threadId }), [task], "The tasks of that thread");
  },

  "a run that is the first by its id and not by its turn begins no task": async (trial) => {
    const runId = newId("run");
    const { threadId } = await newTurn(trial, { runId, task: runId, turn: 1 });
    await newTurn(trial, { task: runId, threadId, turn: 2 });
    await trial.step();

    demandSame(await taskIds(trial, { task: runId }), [], "A task without a first turn");
    demandSame(await taskIds(trial, { thread: threadId }), [], "The tasks beside it");
  },

  "a mark of another version, or of another shape, makes no task": async (trial) => {
    const { runId: task, threadId } = await newTurn(trial);
    const runIds = NO_MARKS.map(() => newId("run"));
    for (const [place, runId] of runIds.entries()) {
      const mark = { v: 1, root: runId, turn: 0, message: null, ...NO_MARKS[place] };
      await trial.create({ runId, threadId, kwargs: { input: "in", [RUN_MARK_KEY]: mark } });
    }
    const inside = { [RUN_MARK_KEY]: { v: 1, root: "r", turn: 0, message: null } };
    await trial.create({ threadId, kwargs: { input: inside, text: JSON.stringify(inside) } });
    await trial.create({ threadId, kwargs: { [RUN_MARK_KEY]: null } });
    await trial.step();

    for (const [place, runId] of runIds.entries()) {
      const what = `A task of the mark ${JSON.stringify(NO_MARKS[place])}`;
      demandSame(await taskIds(trial, { task: runId }), [], what);
    }
    demandSame(await taskIds(trial, { thread: threadId }), [task], "The tasks beside such marks");
    demandSame(
      (await trial.tasks({ thread: threadId, count: true })).total,
      1,
      "The number of tasks beside such marks",
    );
  },

  "no text and no depth of a run's input keeps it from being created, nor a task from being found":
    async (trial) => {
      const metadata = newScope();
      const { threadId } = await trial.newRun({ metadata });
      const expected: string[] = [];
      for (const text of ODD_TEXTS) {
        const message = JSON.stringify({ [text]: text });
        const input = { text, [text]: [text] };
        await trial.create({ threadId, metadata, kwargs: { input, command: { resume: text } } });
        const { runId } = await newTurn(trial, { threadId, metadata, input, message });
        expected.push(runId);
        await trial.step();

        const { messages } = await theTask(trial, runId);
        demandSame(messages, [message], "The message of a task, byte for byte");
      }
      await trial.create({ threadId, metadata, kwargs: { input: deep(1_200) } });

      const found = await taskIds(trial, { metadata });
      demandSame(found.sort(), expected.sort(), "The tasks of odd inputs");
    },
};

/** What a mark of this version must not be. */
const NO_MARKS: readonly object[] = [
  { v: 2 },
  { v: "1" },
  { v: true },
  { v: null },
  { root: "" },
  { root: null },
  { turn: "0" },
  { turn: -1 },
  { turn: 0.5 },
  { turn: null },
  { message: { text: "no text" } },
  { context: 1 },
];

const ODD_TEXTS = [
  "a\u0000b",
  "half \ud83d",
  "\ude00 half",
  "whole \u{1F600}",
  "\\u0000 and \\\\ud800",
  '"$skein_task":{"v":1}',
  'it\'s "quoted" \\',
];

function deep(levels: number): unknown {
  let input: unknown = "in";
  for (let level = 0; level < levels; level += 1) input = [input];
  return input;
}
