// How an execution came out, and how a state snapshot becomes a run's result.

import type { StateSnapshot } from "@langchain/langgraph";
import type { RunResult } from "skein-results";

import type { Checkpoint, Interrupt, RunError, RunStatus } from "../stores/contract.js";

/**
 * How an execution ended, for a caller that waits for it. It is not a source of results: a task is
 * rendered from what was captured when the run settled.
 */
export interface RunOutcome {
  /** The status that the run row really has. */
  status: RunStatus;
  /** Only where the graph ran to its end, or to a pause, and the run has that status. */
  result?: RunResult;
  error?: RunError;
}

/** Nodes that have still to run mean that the graph has paused. */
export function statusOfSnapshot(snapshot: StateSnapshot): "success" | "interrupted" {
  return snapshot.next.length > 0 ? "interrupted" : "success";
}

/** The result of a run whose graph ended in `snapshot`. */
export function resultOfSnapshot(
  snapshot: StateSnapshot,
  declared: { reply: unknown } | undefined,
): RunResult {
  const interrupts = collectInterrupts(snapshot);
  const checkpoint = checkpointOf(snapshot.config);
  return {
    values: snapshot.values as RunResult["values"],
    ...(Object.keys(interrupts).length > 0 ? { interrupts } : {}),
    ...(declared ?? {}),
    ...(checkpoint ? { checkpoint } : {}),
  };
}

/**
 * The questions still open, by the task that asked. After a partial resume a task that was answered
 * still lists its question, and has a result.
 */
export function collectInterrupts(snapshot: StateSnapshot): Record<string, Interrupt[]> {
  return Object.fromEntries(
    snapshot.tasks
      .filter((task) => task.interrupts.length > 0 && task.result === undefined)
      .map((task): [string, Interrupt[]] => [task.id, [...task.interrupts]]),
  );
}

/** The coordinates in a snapshot's config, or null where it has no checkpoint. */
export function checkpointOf(config: StateSnapshot["config"] | undefined): Checkpoint | null {
  const configurable: Partial<Checkpoint> = config?.configurable ?? {};
  const { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map } = configurable;
  if (thread_id === undefined || checkpoint_id === undefined) return null;
  return { thread_id, checkpoint_ns: checkpoint_ns ?? "", checkpoint_id, checkpoint_map };
}
