// Hands a store values and snapshots that are nested deeper than any stack, and sends what came of each; and
// what it then made of an ordinary result and of one of 300 levels.

import type { RunResult } from "skein-results";

import type { SkeinStoreSnapshot } from "../../stores/contract.js";
import { openStore } from "../../stores/testing/open-store.js";
import { hostWireResult, outcomeOf } from "../host-serializer.js";
import { DEEP_TEXTS, DEEP_VALUES, PLACES, type Told } from "../values/deep.js";

const FOLLOWING: readonly RunResult[] = [
  { values: { messages: [{ type: "ai", content: "fine" }] }, reply: "fine" },
  { values: { deep: DEEP_VALUES["arrays"]?.(300) }, reply: DEEP_VALUES["objects"]?.(300) },
];

const [kind = "", place = "", ...levelsAsked] = process.argv.slice(2);
const open = await openStore(kind, place);
const { runs, threads } = open.store;
const { thread_id } = await threads.create();

/** The result of a run that ended with it; the status, and the code of the failure where there was one. */
async function settled(result: RunResult): Promise<Omit<Told, "levels" | "shape" | "at">> {
  const { run_id } = await runs.create({ assistant_id: "echo", thread_id });
  await runs.setStatus(run_id, "running");
  const code = await codeOf(() => runs.settleRun(run_id, { status: "success", result }));
  const status = (await runs.get(run_id))?.status;
  return { code, status, read: await runs.getResult(run_id) };
}

async function codeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return null;
  } catch (error) {
    return (error as { code?: unknown }).code ?? String(error);
  }
}

/** A snapshot of one finished run with such a result, as a file has it. */
function snapshotText(runId: string, result: string): string {
  const time = "2026-01-02T03:04:05.678Z";
  const run = { run_id: runId, thread_id, assistant_id: "echo", status: "success", metadata: {} };
  const times = { multitask_strategy: null, created_at: time, updated_at: time };
  const rows = JSON.stringify([[runId, { ...run, ...times }]]);
  return `{"version":1,"assistants":[],"threads":[],"runs":${rows},"runKwargs":[],"results":[["${runId}",${result}]]}`;
}

async function imported(
  runId: string,
  text: string,
): Promise<Omit<Told, "levels" | "shape" | "at">> {
  const snapshot = JSON.parse(text) as SkeinStoreSnapshot;
  const code = await codeOf(() => open.store.restore(snapshot));
  const status = (await runs.get(runId))?.status;
  return { code, status, read: await runs.getResult(runId) };
}

/** Whether what follows is on every way what the host's serializer makes of it. */
async function following(): Promise<boolean> {
  for (const result of FOLLOWING) {
    const expected = JSON.stringify(hostWireResult(result));
    const captured = await settled(result);
    const runId = `imported-${Math.random()}`;
    const attached = await imported(runId, snapshotText(runId, JSON.stringify(result)));
    if (JSON.stringify(captured.read) !== expected) return false;
    if (JSON.stringify(attached.read) !== expected) return false;
  }
  return true;
}

const told: Told[] = [];
let fine = true;
for (const levels of levelsAsked.map(Number)) {
  for (const [at, { valueAt, textAt }] of Object.entries(PLACES)) {
    for (const [shape, make] of Object.entries(DEEP_VALUES)) {
      const result = valueAt(make(levels));
      const host = outcomeOf(() => hostWireResult(valueAt(make(levels))));
      const outcome = await settled(result as RunResult);
      const equal = "made" in host && JSON.stringify(outcome.read) === JSON.stringify(host.made);
      told.push({
        levels,
        shape,
        at,
        ...outcome,
        read: outcome.code === null ? equal : outcome.read,
      });
      fine &&= await following();
    }
    for (const [shape, text] of Object.entries(DEEP_TEXTS)) {
      const runId = `deep-${told.length}`;
      const outcome = await imported(runId, snapshotText(runId, textAt(text(levels))));
      told.push({ levels, shape: `a text of ${shape}`, at, ...outcome });
      fine &&= await following();
    }
  }
}
process.send?.({ told, fine });
await open.close();
process.disconnect();
