// The same value comes back by every way out of a store: read, read from a store that was opened again,
// exported, imported into another store, copied with its thread, and shown as a task.

import { deepStrictEqual, equal } from "node:assert/strict";

import fc from "fast-check";
import { markRun, renderTask, type RunResult } from "skein-results";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds } from "../engine/testing/hosts.js";
import type { Run, SkeinStoreSnapshot, SnapshotStore } from "../stores/contract.js";
import type { CompleteStore } from "../stores/store-suite/fixtures.js";

import { hostWireResult, outcomeOf } from "./host-serializer.js";
import { OpenPlace } from "./open-place.js";
import { seeded } from "./seed.js";
import { liveResult, type Recipe } from "./values/index.js";

const BATCHES = 12;
const RUNS_IN_A_BATCH = 100;

const mark = (runId: string) => ({ root: runId, turn: 0, message: null });

/** Records each result for a run of its own on one thread; answers what the stores have to hold. */
async function recorded(
  { threads, runs }: CompleteStore,
  recipes: readonly Recipe[],
): Promise<{ threadId: string; expected: Map<string, RunResult> }> {
  const { thread_id: threadId } = await threads.create();
  const expected = new Map<string, RunResult>();
  for (const [index, { make }] of recipes.entries()) {
    const run_id = `${threadId}-${index}`;
    await runs.create({
      thread_id: threadId,
      assistant_id: "echo",
      run_id,
      metadata: { index },
      kwargs: markRun({}, mark(run_id)),
    });
    const wire = outcomeOf(() => hostWireResult(make() as object));
    if ("thrown" in wire) continue;
    // Both ways of writing a result.
    if (index % 2 === 0) await runs.recordResult(run_id, make() as RunResult);
    await runs.settleRun(run_id, { status: "success", result: make() as RunResult });
    expected.set(run_id, wire.made);
  }
  return { threadId, expected };
}

function requireSame(found: unknown, expected: RunResult | undefined): void {
  deepStrictEqual(found, expected ?? null);
  equal(JSON.stringify(found), JSON.stringify(expected ?? null));
}

async function requireHeld(
  { runs }: CompleteStore,
  expected: ReadonlyMap<string, RunResult>,
): Promise<void> {
  for (const [runId, result] of expected) requireSame(await runs.getResult(runId), result);
}

/** What a task shows, of what a store answers. */
async function requireShown(
  { runs }: CompleteStore,
  expected: ReadonlyMap<string, RunResult>,
): Promise<void> {
  for (const [runId, result] of expected) {
    const run = await runs.get(runId);
    if (!run) throw new Error("A run is gone.");
    const stored = await runs.getResult(runId);
    const { artifact } = renderTask({
      run: run,
      mark: mark(runId),
      result: stored,
      movedOn: true,
    });
    const answer = result.reply === undefined ? result.values : result.reply;
    const [part] = artifact?.parts ?? [];
    const shown = part?.kind === "data" ? part.data : part?.kind === "text" ? part.text : part;
    deepStrictEqual(shown, answer === null ? { value: null } : answer);
    equal(JSON.stringify(shown), JSON.stringify(answer === null ? { value: null } : answer));
  }
}

/** The results of a copied thread, under the ids of the runs that they were copied from. */
async function copied(
  { threads, runs }: CompleteStore,
  threadId: string,
): Promise<Map<string, RunResult | null>> {
  const sources = await runs.listByThread(threadId);
  const copy = await threads.copyWithRuns(threadId, {
    thread_id: `${threadId}-copy`,
    run_ids: sources.map(({ run_id }) => run_id),
  });
  const sourceOf = (run: Run) => `${threadId}-${String(run.metadata?.["index"])}`;
  const found = new Map<string, RunResult | null>();
  for (const run of await runs.listByThread(copy.thread_id)) {
    found.set(sourceOf(run), await runs.getResult(run.run_id));
  }
  await threads.delete(copy.thread_id);
  return found;
}

describe.each(hostKinds)("a result kept by $name", (kind) => {
  let source: OpenPlace;
  let targets: OpenPlace[];
  beforeAll(async () => {
    source = await OpenPlace.of(kind);
    targets = await Promise.all(hostKinds.map((target) => OpenPlace.of(target)));
  });
  afterAll(async () => {
    for (const place of [source, ...targets]) await place.removed();
  });

  it("is the host's JSON by every way out", { timeout: 300_000 }, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(liveResult, { minLength: RUNS_IN_A_BATCH, maxLength: RUNS_IN_A_BATCH }),
        async (recipes) => {
          const { threadId, expected } = await recorded(source.store, recipes);
          await source.reopened();
          await requireHeld(source.store, expected);
          await requireShown(source.store, expected);

          const text = JSON.stringify(await source.store.snapshot());
          const exported = JSON.parse(text) as SkeinStoreSnapshot;
          equal(exported.results?.length, expected.size);
          for (const [runId, result] of exported.results ?? []) {
            requireSame(result, expected.get(runId));
          }

          for (const target of targets) {
            const store: SnapshotStore = target.store;
            await store.restore(JSON.parse(text) as SkeinStoreSnapshot);
            await target.reopened();
            await requireHeld(target.store, expected);
            await target.store.threads.delete(threadId);
          }

          for (const [runId, result] of await copied(source.store, threadId)) {
            requireSame(result, expected.get(runId));
          }
          await source.store.threads.delete(threadId);
          compared += expected.size;
        },
      ),
      seeded(`every way out of ${kind.name}`, BATCHES),
    );
    expect(compared).toBeGreaterThan((BATCHES * RUNS_IN_A_BATCH) / 2);
  });
});
