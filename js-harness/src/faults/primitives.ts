// Every primitive of a driver: the ways in which the package calls it, and the answers that are none. A
// primitive that is added does not compile until it stands here.

import {
  markRun,
  resultMethods,
  RunSettlement,
  type ResultDriver,
  type ResultMethodsOf,
  type ResultTexts,
} from "skein-results";
import { memoryDriver, type MemoryResultDriver, type MemoryRun } from "skein-results/memory";

export type PrimitiveName = keyof ResultDriver;
export type Runs = ResultMethodsOf<Required<ResultDriver>>;

/** A call of the package that comes to the primitive, on a run or on its like. */
export interface Way {
  call: (runs: Runs, on: Place) => Promise<unknown>;
  /** The primitives that the driver lacks, where this is the weaker form of one. */
  lacking?: readonly PrimitiveName[];
  /** The codes of what the caller is told, from the outside in. @defaultValue the driver's own */
  codes?: readonly string[];
}

export interface PrimitiveUnderFault {
  ways: Readonly<Record<string, Way>>;
  /** Answers that are refused with `driver_answer`; null where no answer is looked at. */
  junk: readonly unknown[] | null;
}

/** The runs that one call works on. The two places of a table have nothing in common. */
export interface Place {
  thread: string;
  /** In flight, without a result. */
  running: string;
  /** Paused, and left behind by the run after it. */
  left: string;
  /** In flight, on the thread of the one that it leaves behind. */
  later: string;
  /** A success with a result. */
  done: string;
  /** A success without one. */
  copy: string;
  /** Paused, and the first and last run of its task. */
  paused: string;
  pausedThread: string;
}

const placeOf = (name: string): Place => ({
  thread: `thread-${name}`,
  running: `running-${name}`,
  left: `left-${name}`,
  later: `later-${name}`,
  done: `done-${name}`,
  copy: `copy-${name}`,
  paused: `paused-${name}`,
  pausedThread: `paused-thread-${name}`,
});

export const HERE = placeOf("here");
export const ELSEWHERE = placeOf("elsewhere");

const RESULT = { values: { answer: 42 } };
const TEXTS: ResultTexts = {
  values: '{"answer":42}',
  interrupts: null,
  reply: null,
  checkpoint: null,
};

interface Row extends MemoryRun {
  status: "running" | "success" | "interrupted";
  thread_id: string;
  updated_at: string;
  metadata: object;
}

/** A driver in memory, with the runs of both places. */
export function freshDriver(): MemoryResultDriver {
  const runs = new Map<string, Row>();
  const driver = memoryDriver({
    runs,
    kwargs: (runId) => markRun({}, { root: runId, turn: 0, message: null }),
    deliver: () => undefined,
  });
  for (const place of [HERE, ELSEWHERE]) {
    const add = (id: string, status: Row["status"], thread_id: string) =>
      runs.set(id, { status, thread_id, updated_at: new Date(0).toISOString(), metadata: {} });
    add(place.running, "running", place.thread);
    add(place.done, "success", place.thread);
    add(place.copy, "success", place.thread);
    add(place.paused, "interrupted", place.pausedThread);
    add(place.left, "interrupted", place.thread);
    add(place.later, "running", place.thread);
    const checkpoint = JSON.stringify({ thread_id: place.thread });
    void driver.record(place.done, { ...TEXTS, checkpoint });
    for (const paused of [place.paused, place.left]) {
      void driver.record(paused, { ...TEXTS, interrupts: '{"t":[{"id":"q","value":"?"}]}' });
    }
  }
  return driver;
}

/** The methods over a driver of which one primitive is another, as far as the way allows the others. */
export function methodsWith(
  driver: ResultDriver,
  name: PrimitiveName,
  primitive: unknown,
  { lacking = [] }: Way,
): Runs {
  const others = Object.entries(driver).filter(
    ([other]) => !lacking.includes(other as PrimitiveName),
  );
  const changed = { ...Object.fromEntries(others), [name]: primitive };
  return resultMethods(changed as unknown as Required<ResultDriver>);
}

const copyOf = (place: Place) => ({
  sourceThread: place.thread,
  targetThread: "copied",
  runs: [{ from: place.done, to: place.copy }],
});

const settleAttempt = (runs: Pick<Runs, "recordResult">, runId: string) =>
  new RunSettlement(runs, {
    runId,
    kwargs: markRun({}, { root: runId, turn: 0, message: null }),
  }).settle({ end: "finished", status: "success", result: RESULT }, () =>
    Promise.resolve("success"),
  );

const copy: Way["call"] = (runs, place) => runs.copyResults(copyOf(place));
const attach: Way["call"] = (runs, place) => runs.attachResults([[place.running, TEXTS]]);
const read: Way["call"] = (runs, place) => runs.exportResults([place.done]);
const query = { limit: 5, answers: true, count: true };

const NO_OBJECTS = ["text", 7, true, Symbol("junk"), () => null];
const NO_LISTS = [...NO_OBJECTS, null, undefined, {}];
const unreadable = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error("unreadable");
    },
  });
const NO_ENDS = [
  ...NO_OBJECTS,
  {},
  [],
  { status: "success" },
  { won: true },
  { status: "done", won: true },
  { status: "success", won: "yes" },
  { status: 1, won: true },
  unreadable("status"),
];
const NO_TEXTS = [
  ...NO_OBJECTS,
  { values: 7 },
  { values: {} },
  { ...TEXTS, interrupts: 7 },
  { ...TEXTS, reply: {} },
  { ...TEXTS, checkpoint: [] },
];
const TASK = {
  ...TEXTS,
  run: "r",
  thread: "t",
  status: "success",
  error: null,
  at: "2026-01-01T00:00:00.000Z",
  task: "r",
  turn: 0,
  messages: [],
  context: null,
  movedOn: false,
};

export const PRIMITIVES: Readonly<Record<PrimitiveName, PrimitiveUnderFault>> = {
  record: {
    ways: {
      recordResult: { call: (runs, { running }) => runs.recordResult(running, RESULT) },
      "attachResults, one by one": { call: attach, lacking: ["attachMany"] },
      "copyResults, one by one": { call: copy, lacking: ["copyMany"] },
      "a settle in two steps": {
        call: (runs, { running }) =>
          settleAttempt({ recordResult: (id, result) => runs.recordResult(id, result) }, running),
        codes: ["capture_failed", "driver_failed"],
      },
    },
    junk: null,
  },
  read: {
    ways: {
      getResult: { call: (runs, { done }) => runs.getResult(done) },
      "exportResults, one by one": { call: read, lacking: ["readMany"] },
      "copyResults, one by one": { call: copy, lacking: ["copyMany"] },
    },
    junk: NO_TEXTS,
  },
  settle: {
    ways: {
      settleRun: {
        call: (runs, { running }) =>
          runs.settleRun(running, { status: "success", result: RESULT, delivery: {} }),
      },
      "a settle": {
        call: (runs, { running }) => settleAttempt(runs, running),
        codes: ["capture_failed", "driver_failed"],
      },
    },
    junk: NO_ENDS,
  },
  cancel: {
    ways: { cancelRun: { call: (runs, { running }) => runs.cancelRun(running) } },
    junk: NO_ENDS,
  },
  start: {
    ways: { startRun: { call: (runs, { running }) => runs.startRun(running) } },
    junk: NO_ENDS,
  },
  readMany: {
    ways: { exportResults: { call: read } },
    junk: [
      ...NO_LISTS,
      [null],
      ["run"],
      [["run"]],
      [["run", null]],
      [[7, TEXTS]],
      [["run", { ...TEXTS, values: null }]],
      [["run", { ...TEXTS, reply: 7 }]],
      [unreadable("0")],
    ],
  },
  attachMany: { ways: { attachResults: { call: attach } }, junk: null },
  copyMany: { ways: { copyResults: { call: copy } }, junk: null },
  taskPage: {
    ways: { taskPage: { call: (runs) => runs.taskPage(query) } },
    junk: [
      ...NO_LISTS,
      [],
      { tasks: {}, total: null },
      { tasks: [] },
      { tasks: [], total: "7" },
      { tasks: [null], total: null },
      ...Object.keys(TASK).map((member) => ({
        tasks: [{ ...TASK, [member]: Symbol("junk") }],
        total: null,
      })),
      { tasks: [{ ...TASK, messages: [7] }], total: 1 },
      unreadable("tasks"),
    ],
  },
  cancelPaused: {
    ways: { cancelPausedRun: { call: (runs, { paused }) => runs.cancelPausedRun(paused) } },
    junk: NO_ENDS,
  },
  passOver: {
    ways: { passOverPaused: { call: (runs, { later }) => runs.passOverPaused(later) } },
    junk: null,
  },
  admitResume: {
    ways: {
      admitResume: { call: (runs, { paused }) => runs.admitResume(paused, () => undefined) },
    },
    junk: [...NO_LISTS.filter((junk) => junk !== true), 1, "true", { admitted: true }],
  },
};

/** Every way to every primitive. */
export const WAYS = (Object.keys(PRIMITIVES) as PrimitiveName[]).flatMap((name) =>
  Object.entries(PRIMITIVES[name].ways).map(([way, said]) => ({ name, way, said })),
);
