import type { RunResult } from "../wasm/shapes.js";
import type { ResultCopy } from "../drivers/driver.js";
import type { ThreadCopy } from "../results/thread-copy.js";

import { fullResult } from "./sample-results.js";
import type { Trial } from "./trial.js";

/** A full result whose checkpoint is on this thread. */
export function onThread(thread_id: string): RunResult {
  const { checkpoint, ...rest } = fullResult("first");
  return checkpoint ? { ...rest, checkpoint: { ...checkpoint, thread_id } } : rest;
}

/** A run that has ended, with this result. */
export async function recorded(trial: Trial, threadId: string, result: unknown): Promise<string> {
  const { runId } = await trial.newRun({ threadId, status: "success" });
  await trial.record(runId, result);
  return runId;
}

export function copyOf(source: string, target: string, runs: readonly ResultCopy[]): ThreadCopy {
  return { sourceThread: source, targetThread: target, runs };
}

/** Creates a copy of each run on the target thread, and copies the results. Answers the copy of a run. */
export async function copied(
  trial: Trial,
  { source, target, runIds }: { source: string; target: string; runIds: readonly string[] },
): Promise<(runId: string) => string> {
  const copies: ResultCopy[] = [];
  for (const from of runIds) {
    const { runId: to } = await trial.newRun({ threadId: target, status: "success" });
    copies.push({ from, to });
  }
  await trial.copy(copyOf(source, target, copies));
  return (runId) => copies.find(({ from }) => from === runId)?.to ?? "";
}
