// Runs a program on several stores, and compares what they say to each step.

import { markRun, type ResultMethods, type TaskMethods, type TaskQuery } from "skein-results";
import type { NewRun, StoreUnderTest } from "skein-results/conformance";

import {
  OWNERS,
  RESULTS,
  THREADS,
  type ListQuery,
  type NewAs,
  type Step,
} from "./task-programs.js";

const START = Date.UTC(2026, 0, 1);

/** A clock that a program sets. */
export class ProgramClock {
  #time = START;

  readonly now = (): Date => new Date(this.#time);

  reset(): void {
    this.#time = START;
  }

  wait(milliseconds: number): void {
    this.#time += milliseconds;
  }
}

/** A run that was created once. */
interface KnownRun {
  runId: string;
  threadId: string;
  /** The task that its mark names. */
  root: string;
  /** Whether it has once been interrupted. */
  wasPaused: boolean;
}

const NO_RUN: KnownRun = { runId: "unknown", threadId: "t0", root: "unknown", wasPaused: false };

/** A store of a program, by its name. */
export interface ProgramStore {
  name: string;
  store: StoreUnderTest;
  /** Places in its lists, as it gave them. */
  places: NonNullable<TaskQuery["after"]>[];
}

/** Runs a program on every store at once, and answers where two of them say something else. */
export async function differenceIn(
  program: readonly Step[],
  stores: readonly ProgramStore[],
  clock: ProgramClock,
): Promise<string | null> {
  clock.reset();
  const known: KnownRun[] = [];
  for (const entry of stores) {
    entry.places = [];
    for (let index = 0; index < THREADS; index += 1) await entry.store.createThread(`t${index}`);
  }
  try {
    for (const [number, given] of program.entries()) {
      const call = callOf(given, known, clock);
      const answers: unknown[] = [];
      for (const entry of stores) answers.push(await call(entry));
      const [first, ...others] = answers.map((answer) => JSON.stringify(answer));
      const other = others.findIndex((answer) => answer !== first);
      if (other < 0) continue;
      return [
        `Step ${number + 1}, ${JSON.stringify(given)}:`,
        `${stores[0]?.name ?? ""} says ${first ?? ""},`,
        `${stores[other + 1]?.name ?? ""} says ${others[other] ?? ""}.`,
      ].join("\n");
    }
    return null;
  } finally {
    for (const { store } of stores) {
      for (let index = 0; index < THREADS; index += 1) await store.deleteThread(`t${index}`);
    }
  }
}

type Call = (entry: ProgramStore) => Promise<unknown>;

/** What a step asks of each store. What comes of the runs that are known is decided here, once. */
function callOf(given: Step, known: KnownRun[], clock: ProgramClock): Call {
  const from = (runs: readonly KnownRun[], place: number): KnownRun =>
    runs[place % Math.max(runs.length, 1)] ?? NO_RUN;
  const at = (place: number): KnownRun => from(known, place);
  // Of every two one is among those that may be paused.
  const pausedAt = (place: number): KnownRun =>
    place % 2 === 0
      ? at(place)
      : from(
          known.filter(({ wasPaused }) => wasPaused),
          place >> 1,
        );
  switch (given.do) {
    case "wait":
      clock.wait(given.milliseconds);
      return () => Promise.resolve(null);
    case "create": {
      const run = newRun(given, known);
      known.push(run);
      const result = given.result === null ? undefined : RESULTS[given.result];
      return async ({ store }) => {
        await store.createRun(run);
        if (result) await methodsOf(store).recordResult(run.runId, result);
        return null;
      };
    }
    case "record": {
      const { runId } = at(given.run);
      const result = RESULTS[given.result ?? 0] ?? { values: {} };
      return async ({ store }) => methodsOf(store).recordResult(runId, result);
    }
    case "settle": {
      const run = at(given.run);
      const { runId } = run;
      const { status } = given;
      run.wasPaused ||= status === "interrupted";
      const result = given.result === null ? undefined : RESULTS[given.result];
      const error = status === "error" ? { error: "Error", message: "It broke." } : undefined;
      return ({ store }) =>
        methodsOf(store).settleRun(runId, { status, error, ...(result ? { result } : {}) });
    }
    case "start": {
      const { runId } = at(given.run);
      return async ({ store }) => {
        await store.setStatus(runId, "running");
        await methodsOf(store).passOverPaused(runId);
        return null;
      };
    }
    case "set status": {
      const { runId } = at(given.run);
      return async ({ store }) => {
        await store.setStatus(runId, given.status);
        return null;
      };
    }
    case "cancel":
      return ({ store }) => methodsOf(store).cancelRun(at(given.run).runId);
    case "cancel paused":
      return ({ store }) => methodsOf(store).cancelPausedRun(pausedAt(given.run).runId);
    case "pass over":
      return async ({ store }) => {
        await methodsOf(store).passOverPaused(at(given.run).runId);
        return null;
      };
    case "delete": {
      const { runId } = at(given.run);
      return async ({ store }) => {
        await store.deleteRun(runId);
        return null;
      };
    }
    case "delete thread": {
      const threadId = `t${given.thread}`;
      return async ({ store }) => {
        await store.deleteThread(threadId);
        await store.createThread(threadId);
        return null;
      };
    }
    case "answer": {
      const paused = pausedAt(given.run);
      const run = newRun({ ...ANSWER, as: { ...LATER, of: known.indexOf(paused) } }, known);
      known.push(run);
      return ({ store }) => answer(store, paused, run, given.fails);
    }
    case "list":
      return (entry) => pageOf(entry, queryOf(given.query, known));
    case "page on":
      return (entry) => {
        const after = entry.places[given.from % Math.max(entry.places.length, 1)];
        const asked = queryOf(given.query, known);
        return pageOf(entry, after ? { ...asked, after } : asked);
      };
  }
}

type Creation = Extract<Step, { do: "create" }>;

const LATER = { kind: "later", turn: null, strays: false } as const;

const ANSWER = {
  ...({ do: "create", thread: 0, owner: 1, status: "pending", result: null } as const),
  text: "yes",
};

/** Databases order these by collations of their own. */
const LETTERS = ["b", "B", "_", "a", "9"];

function newRun(
  { thread, owner, status, as, text }: Creation,
  known: readonly KnownRun[],
): NewRun & KnownRun {
  const runId = `${LETTERS[known.length % LETTERS.length] ?? ""}${known.length}`;
  const { root, turn, threadId, version } = place(as, `t${thread}`, runId, known);
  const input = { text, [text]: [text] };
  const message = JSON.stringify({ runId, text });
  const marked = markRun({ input }, { root, turn, message, context: `context of ${runId}` });
  const kwargs = as.kind === "ordinary" ? { input } : marked;
  const mark = (marked as { $skein_task?: object }).$skein_task;
  return {
    ...{ runId, threadId, root, status, metadata: OWNERS[owner] ?? {} },
    wasPaused: status === "interrupted",
    kwargs: version === 1 ? kwargs : { input, $skein_task: { ...mark, v: version } },
  };
}

/** Where a run stands among the tasks that are known. */
function place(as: NewAs, threadId: string, runId: string, known: readonly KnownRun[]) {
  if (as.kind !== "later") {
    return { root: runId, turn: 0, threadId, version: as.kind === "marked" ? as.version : 1 };
  }
  const { root } = known[as.of % Math.max(known.length, 1)] ?? NO_RUN;
  const first = known.find((run) => run.runId === root);
  const turns = known.filter((run) => run.root === root).length;
  return {
    root,
    turn: as.turn ?? turns,
    threadId: as.strays ? threadId : (first?.threadId ?? threadId),
    version: 1,
  };
}

function methodsOf({ runs }: StoreUnderTest): Required<ResultMethods> & TaskMethods {
  return runs as Required<ResultMethods> & TaskMethods;
}

/** Whether the answer to a paused run was admitted; one that fails does so after its insert. */
async function answer(
  store: StoreUnderTest,
  paused: KnownRun,
  run: NewRun,
  fails: boolean,
): Promise<unknown> {
  const own = new Error("The program's own.");
  const ended = (): void => {
    if (fails) throw own;
  };
  try {
    return await methodsOf(store).admitResume(paused.runId, (transaction) => {
      const created = store.createRunIn?.(transaction, run);
      if (created instanceof Promise) return created.then(ended);
      ended();
      return undefined;
    });
  } catch (error) {
    if (error !== own) throw error;
    return "failed";
  }
}

/** A query as the stores are asked it. */
function queryOf(given: ListQuery, known: readonly KnownRun[]): TaskQuery {
  const { task, thread, owner, state, since, limit, answers, count } = given;
  const runId = (index: number) => known[index % Math.max(known.length, 1)]?.runId ?? "unknown";
  return {
    ...{ limit, answers, count },
    ...(task === null ? {} : { task: runId(task) }),
    ...(thread === null ? {} : { thread: `t${thread}` }),
    ...(owner === null ? {} : { metadata: OWNERS[owner] ?? {} }),
    ...(state === null ? {} : { state }),
    ...(since === null ? {} : { since: timeOf(since) }),
  };
}

/** A time around one that a program may have, to the half of a millisecond. */
function timeOf({ place, offset }: NonNullable<ListQuery["since"]>): string {
  const whole = new Date(START + place + Math.floor(offset)).toISOString();
  return Number.isInteger(offset) ? whole : whole.replace("Z", "500Z");
}

/** A page, without what stores may write in their own way. */
async function pageOf(entry: ProgramStore, query: TaskQuery): Promise<unknown> {
  const { tasks, total } = await methodsOf(entry.store).taskPage(query);
  entry.places.push(...tasks.map(({ at, run }) => ({ at, run })));
  return {
    total,
    tasks: tasks.map(({ at, error, result, ...task }) => ({
      ...Object.fromEntries(Object.entries(task).sort()),
      at: Date.parse(at),
      error: error === null ? null : (JSON.parse(error) as unknown),
      result,
    })),
  };
}
