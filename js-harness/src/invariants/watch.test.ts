// The watch sees what it is for: each broken promise, in rows that keep every other one.

import { markRun } from "skein-results";
import { describe, expect, it } from "vitest";

import type { SeenRows, SeenRun } from "./rows.js";
import { brokenAtRest, Watch } from "./watch.js";

const RESULT = { values: '{"value":1}', interrupts: null, reply: null, checkpoint: null };
const PAUSE = { ...RESULT, interrupts: '{"t":[{"id":"i","value":"?"}]}' };

const marked = (root: string, turn = 0) => markRun({}, { root, turn, message: null });

function run(seen: Partial<SeenRun>): SeenRun {
  return { run: "r", thread: "t", status: "running", kwargs: marked("r"), result: null, ...seen };
}

function rows(...runs: SeenRun[]): SeenRows {
  const threads = new Set(runs.map(({ thread }) => thread));
  return { runs, threads, saved: threads };
}

/** What is broken at the last of these looks; nothing may be at the ones before. */
function brokenIn(...looks: SeenRows[]): string[] {
  const watch = new Watch({ oneWrite: true });
  const told = looks.map((look) => watch.see(look));
  expect(told.slice(0, -1).flat()).toEqual([]);
  return told.at(-1) ?? [];
}

const ended = run({ status: "success", result: RESULT });
const paused = run({ status: "interrupted", result: PAUSE });

describe("a watch", () => {
  it.each<[string, SeenRows[], RegExp]>([
    ["a success without a result", [rows(run({ status: "success" }))], /has no result/],
    [
      "a result that has changed",
      [rows(ended), rows({ ...ended, result: { ...RESULT, values: "2" } })],
      /has changed/,
    ],
    ["a result that is gone", [rows(paused), rows({ ...paused, result: null })], /has changed/],
    ["a second end", [rows(run({ status: "cancelled" })), rows(ended)], /ended cancelled/],
    ["an end that is undone", [rows(ended), rows(run({ result: RESULT }))], /ended success/],
    ["a result before its status", [rows(run({ result: RESULT }))], /is running and has a result/],
    ["an erased run", [rows(ended), rows(), rows(run({}))], /erased and is there again/],
    [
      "a checkpoint of another thread",
      [rows({ ...ended, result: { ...RESULT, checkpoint: '{"thread_id":"other"}' } })],
      /on another thread/,
    ],
    [
      "a mark that names a task of another thread",
      [rows(paused, run({ run: "r2", thread: "t2", kwargs: marked("r", 1) }))],
      /names a task of another thread/,
    ],
    [
      "two answers to one pause",
      [
        rows(
          paused,
          run({ run: "r2", kwargs: marked("r", 1) }),
          run({ run: "r3", kwargs: marked("r", 1) }),
        ),
      ],
      /turn that its task has already/,
    ],
    [
      "a task that goes on after its end",
      [rows(ended), rows(ended, run({ run: "r2", kwargs: marked("r", 1) }))],
      /had ended completed and is working now/,
    ],
  ])("sees %s", (_fault, looks, sentence) => {
    expect(brokenIn(...looks).join("\n")).toMatch(sentence);
  });

  it("says nothing of a life that keeps every promise", () => {
    const answer = run({ run: "r2", status: "pending", kwargs: marked("r", 1) });
    const looks = [
      rows(),
      rows(run({ status: "pending" })),
      rows(run({})),
      rows(paused),
      rows(paused, answer),
      rows(paused, { ...answer, status: "success", result: RESULT }),
      rows(paused),
      rows({ ...paused, status: "cancelled" }),
      rows(),
    ];
    expect(brokenIn(...looks)).toEqual([]);
  });

  it("allows a result before its status where a store ends runs in two steps", () => {
    const watch = new Watch({ oneWrite: false });
    expect(watch.see(rows(run({ result: RESULT })))).toEqual([]);
  });
});

describe("rows at rest", () => {
  it("are seen to hold a run that nobody executes", () => {
    expect(brokenAtRest(rows(run({})))).toEqual(["Run r is running, and nobody executes it."]);
    expect(brokenAtRest(rows(ended))).toEqual([]);
  });

  it("are seen to hold what belongs to a thread that is not there", () => {
    const lost = { ...rows(ended), threads: new Set<string>() };
    expect(brokenAtRest(lost)).toEqual([
      "Run r is on thread t, which is not there.",
      "Thread t is not there, and has checkpoints.",
    ]);
  });
});
