// Very large and very wide results are kept as any other, by every way in and out of every store (case N-17).
// What is longer than any store can give back is refused where it is captured: see too-long.test.ts.

import { markRun, renderTask, type RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds } from "../engine/testing/hosts.js";
import { newRun, type CompleteStore } from "../stores/store-suite/fixtures.js";

import { hostWireResult } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";

const MB = 1_000_000;

/** A text that takes that many bytes in UTF-8, or some more where it has escapes. */
const textOf = (unit: string, bytes: number): string =>
  unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)));
/** Of one, two and three bytes, a whole pair, and halves, which are escapes wherever they are stored. */
const MIXED = "x\u00e9\u4e2d\u{1F600}\ud83dx\ude00\u0000";

const objects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, name: `n${index}`, tags: [index % 7] }));
/** Half of the keys are numbers, which an engine puts in front and in order. */
const keys = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      index % 2 === 0 ? `key ${index}` : String(count - index),
      index,
    ]),
  );
const questions = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `i${index}`,
    value: { question: `${index}?` },
  }));

const of = (values: unknown, rest: Partial<RunResult> = {}): RunResult => ({
  values: values as never,
  ...rest,
});

const WIDE = {
  "a text of 12 MB": () => of(textOf("x", 12 * MB)),
  "a reply of 12 MB in characters of three bytes": () =>
    of({}, { reply: textOf("\u4e2d", 12 * MB) }),
  "a text of 4 MB of every kind of character": () => of({ text: textOf(MIXED, 4 * MB) }),
  "200,000 objects": () => of({ list: objects(200_000) }),
  "300,000 keys": () => of(keys(300_000)),
  "150,000 interrupts": () => of({}, { interrupts: { t1: questions(150_000) } }),
} satisfies Record<string, () => RunResult>;

const HUGE = {
  "a text of 50 MB": () => of({ text: textOf("x", 50 * MB) }),
  "a text of 50 MB in characters of three bytes": () => of({ text: textOf("\u4e2d", 50 * MB) }),
} satisfies Record<string, () => RunResult>;

type Name = keyof typeof WIDE | keyof typeof HUGE;
const MADE: Readonly<Record<Name, () => RunResult>> = { ...WIDE, ...HUGE };

/** The text of what each has to be read as, which takes as long to make as to keep. */
const expected = new Map<Name, string>();

/** Compared as a whole: the runner would look for what differs, and print it. */
function requireSame(found: RunResult | null | undefined, name: Name): void {
  const text = expected.get(name) ?? JSON.stringify(hostWireResult(MADE[name]()));
  expected.set(name, text);
  expect(JSON.stringify(found) === text).toBe(true);
}

async function requireNextIsKept(store: CompleteStore): Promise<void> {
  const { run_id } = await newRun(store);
  await store.runs.settleRun(run_id, { status: "success", result: { values: { small: 1 } } });
  expect(await store.runs.getResult(run_id)).toEqual({ values: { small: 1 } });
  await store.threads.delete((await store.runs.get(run_id))?.thread_id ?? "");
}

const mark = (runId: string) => ({ root: runId, turn: 0, message: null });

/** What a task shows of a result is what the result holds. */
function requireShown(runId: string, result: RunResult): void {
  const { interrupts, reply, values } = result;
  const status = interrupts ? "interrupted" : "success";
  const run = { run_id: runId, thread_id: "thread", status, updated_at: "2026-01-01" } as const;
  const task = renderTask({ run, mark: mark(runId), result, movedOn: false });
  const parts = (interrupts ? task.question : task.artifact)?.parts ?? [];
  const shown = parts.map((part) =>
    part.kind === "text" ? part.text : "data" in part && part.data,
  );
  const held = interrupts ? Object.values(interrupts).flat() : [reply ?? values];
  expect(JSON.stringify(shown) === JSON.stringify(held)).toBe(true);
}

describe.each(hostKinds)("a result kept by $name", { timeout: 300_000 }, (kind) => {
  let open: OpenPlace;
  let threadId: string;
  /** What each run of the thread has. */
  const kept = new Map<string, Name>();
  beforeAll(async () => {
    open = await OpenPlace.of(kind);
    ({ thread_id: threadId } = await open.store.threads.create());
  });
  afterAll(() => open.removed());

  it.each(Object.keys(WIDE) as (keyof typeof WIDE)[])("has all of %s", async (name) => {
    const run_id = `run ${name}`;
    await newRun(open.store, { thread_id: threadId, run_id, kwargs: markRun({}, mark(run_id)) });
    kept.set(run_id, name);

    // Both ways of writing a result.
    const result = MADE[name]();
    const { runs } = open.store;
    if (kept.size % 2 === 0) await runs.settleRun(run_id, { status: "success", result });
    else await runs.recordResult(run_id, result).then(() => runs.setStatus(run_id, "success"));

    await open.reopened();
    const read = await open.store.runs.getResult(run_id);
    requireSame(read, name);
    requireShown(run_id, read ?? of(null));
    await requireNextIsKept(open.store);
  });

  it("is on a copy of its thread in a store that a snapshot was loaded into", async () => {
    const target = await OpenPlace.of(kind);
    await target.store.restore(await open.store.snapshot());
    await target.reopened();
    const run_ids = [...kept.keys()];
    const copy = await target.store.threads.copyWithRuns(threadId, { thread_id: "copy", run_ids });
    const copies = await target.store.runs.listByThread(copy.thread_id);

    expect(copies.length).toBe(kept.size);
    for (const [index, name] of [...kept.values()].entries()) {
      requireSame(await target.store.runs.getResult(copies[index]?.run_id ?? ""), name);
    }
    await requireNextIsKept(target.store);
    await target.removed();
  });

  it.each(Object.keys(HUGE) as (keyof typeof HUGE)[])("has all of %s", async (name) => {
    const { run_id } = await newRun(open.store);

    await open.store.runs.settleRun(run_id, { status: "success", result: MADE[name]() });
    await open.reopened();

    requireSame(await open.store.runs.getResult(run_id), name);
    await requireNextIsKept(open.store);
  });

  it("is what a run over a state of 12 MB has left", async () => {
    const place = await kind.prepare();
    const host = await place.open();
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const value = textOf("x", 12 * MB);
    const request = { threadId: thread_id, assistantId: "echo", input: { value } };

    const { run, outcome } = await runs.submit(request, { mark });
    await outcome;

    expect((await runs.get(run.run_id)).status).toBe("success");
    const result = await host.store.runs.getResult?.(run.run_id);
    const state = result?.values as { value?: unknown } | undefined;
    expect(state?.value === `echo: ${value}`).toBe(true);
    await host.close();
    await place.remove();
  });
});
