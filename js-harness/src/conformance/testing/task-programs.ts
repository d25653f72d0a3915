// Random programs of what a host does with runs and tasks.

import fc from "fast-check";
import type { RunResult, RunStatus, TaskQuery, TaskState, TerminalRunStatus } from "skein-results";

/** A step of a program. Runs are named by their places among those that were created. */
export type Step =
  | { do: "wait"; milliseconds: number }
  | {
      do: "create";
      thread: number;
      owner: number;
      status: RunStatus;
      result: number | null;
      as: NewAs;
      text: string;
    }
  | { do: "record" | "settle"; run: number; status: TerminalRunStatus; result: number | null }
  | { do: "start" | "cancel" | "cancel paused" | "pass over" | "delete"; run: number }
  | { do: "set status"; run: number; status: RunStatus }
  | { do: "answer"; run: number; fails: boolean }
  | { do: "delete thread"; thread: number }
  | { do: "list"; query: ListQuery }
  | { do: "page on"; query: ListQuery; from: number };

/** What a run is created as. */
export type NewAs =
  | { kind: "ordinary" | "first" }
  | { kind: "marked"; version: number }
  /** The next turn of a task, or one that is out of order; on the task's thread unless it strays. */
  | { kind: "later"; of: number; turn: number | null; strays: boolean };

/** A query whose names are places. */
export interface ListQuery extends Pick<TaskQuery, "answers" | "count" | "limit"> {
  task: number | null;
  thread: number | null;
  owner: number | null;
  state: TaskState | null;
  since: { place: number; offset: number } | null;
}

export const THREADS = 3;
const ENDS: readonly TerminalRunStatus[] = [
  "success",
  "error",
  "timeout",
  "interrupted",
  "cancelled",
];
const STATUSES: readonly RunStatus[] = ["pending", "running", ...ENDS];
const STATES: readonly TaskState[] = [
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
];

const checkpoint = {
  thread_id: "t",
  checkpoint_ns: "",
  checkpoint_id: "c",
  checkpoint_map: null,
};
const interrupts = { task: [{ id: "i", value: "Ship it?" }] };
export const RESULTS: readonly RunResult[] = [
  { values: { n: 1 } },
  { values: { n: 2 }, reply: "done" },
  { values: { n: 3 }, reply: null },
  { values: { n: 4 }, interrupts, checkpoint },
  { values: { n: 5 }, checkpoint },
  { values: { n: 6 }, interrupts },
  { values: { n: 7 }, interrupts: {} },
];
const PAUSES = [3, 4, 5];
/** Those of pauses are more likely. */
const LIKELY = [...PAUSES, ...RESULTS.keys()];

/** Metadata that a run may have, and that a caller may ask for. */
export const OWNERS: readonly Record<string, unknown>[] = [
  {},
  { owner: { user: "ann", tenant: "acme" } },
  { owner: { user: "bob", tenant: "acme" }, admin: true },
  { owner: { tenant: "acme" } },
  { owner: { user: null } },
  { admin: 1 },
];

/** Null three times of four. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const place = fc.nat(30);
const thread = fc.nat(THREADS - 1);
const owner = fc.nat(OWNERS.length - 1);
const texts = fc.constantFrom("hello", "a\u0000b", "half \ud83d", '"$skein_task"', "\\u0000");

const created: fc.Arbitrary<NewAs> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<NewAs>({ kind: "ordinary" }) },
  { weight: 4, arbitrary: fc.constant<NewAs>({ kind: "first" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("marked" as const), version: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("later" as const),
      of: place,
      turn: rarely(fc.nat(4)),
      strays: rarely(fc.constant(true)).map((strays) => strays ?? false),
    }),
  },
);

const query: fc.Arbitrary<ListQuery> = fc.record({
  task: rarely(place),
  thread: rarely(thread),
  owner: rarely(owner),
  state: rarely(fc.constantFrom(...STATES)),
  since: rarely(fc.record({ place: fc.nat(12), offset: fc.constantFrom(-1, 0, 0.5, 1) })),
  limit: fc.integer({ min: 1, max: 6 }),
  answers: fc.boolean(),
  count: fc.boolean(),
});

const recorded: fc.Arbitrary<number | null> = fc.option(fc.constantFrom<number[]>(...LIKELY));

const creation: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("create" as const),
  thread,
  owner,
  status: fc.constantFrom(...STATUSES, "running", "interrupted", "interrupted"),
  result: recorded,
  as: created,
  text: texts,
});

const wait: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("wait" as const),
  milliseconds: fc.nat(2),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: wait },
  { weight: 18, arbitrary: creation },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("record" as const, "settle" as const),
      run: place,
      status: fc.constantFrom(...ENDS),
      result: fc.option(fc.nat(RESULTS.length - 1)),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      run: place,
      status: fc.constant("interrupted" as const),
      result: fc.constantFrom(...PAUSES),
    }),
  },
  {
    weight: 15,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "start" as const,
        "cancel" as const,
        "cancel paused" as const,
        "pass over" as const,
        "delete" as const,
      ),
      run: place,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("set status" as const),
      run: place,
      status: fc.constantFrom(...STATUSES),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant("answer" as const), run: place, fails: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete thread" as const), thread }) },
  { weight: 15, arbitrary: fc.record({ do: fc.constant("list" as const), query }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("page on" as const), query, from: place }) },
);

const EVERYTHING: ListQuery = {
  ...{ task: null, thread: null, owner: null, state: null, since: null },
  ...{ limit: 1_000, answers: true, count: true },
};

/** What every program ends with: all tasks, and those of each state. */
const lists = [null, ...STATES].map((state): Step => ({
  do: "list",
  query: { ...EVERYTHING, state },
}));

/** Programs that first create some runs, then do anything with them, and list what has become of it. */
export const programs: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: creation }, { weight: 1, arbitrary: wait }), {
      minLength: 8,
      maxLength: 16,
    }),
    fc.array(step, { minLength: 10, maxLength: 40 }),
  )
  .map(([first, then]) => [...first, ...then, ...lists]);
