// The thread row shows how its latest run stands, so that a list of threads needs no checkpoint. It
// is a mirror: what a run came to is decided by the run's own row, before any of this.

import type { StateSnapshot } from "@langchain/langgraph";

import {
  SkeinHttpError,
  type Assistant,
  type DefaultValues,
  type RunError,
  type RunStatus,
  type ThreadRepo,
  type ThreadStatus,
  type ThreadUpdate,
} from "../stores/contract.js";

import { collectInterrupts } from "./outcome.js";

/** What a thread shows of a run in this status. */
export function threadStatusOf(status: RunStatus): ThreadStatus {
  switch (status) {
    case "running":
      return "busy";
    case "interrupted":
      return "interrupted";
    case "error":
    case "timeout":
      return "error";
    default:
      return "idle";
  }
}

/** Shows a state the graph has reached, with the questions it waits on. */
export async function mirrorSnapshot(
  threads: ThreadRepo,
  threadId: string,
  snapshot: StateSnapshot,
  status: RunStatus,
): Promise<void> {
  await mirror(threads, threadId, {
    status: threadStatusOf(status),
    values: snapshot.values as DefaultValues,
    interrupts: collectInterrupts(snapshot),
    error: null,
  });
}

/** Shows a status without a new state. */
export async function mirrorStatus(
  threads: ThreadRepo,
  threadId: string,
  status: ThreadStatus,
): Promise<void> {
  await mirror(threads, threadId, { status, error: null });
}

/**
 * Shows that a run executes, and names its graph: a thread is found by the graph that last ran on it, and
 * read through it when its runs are gone.
 */
export async function mirrorStart(
  threads: ThreadRepo,
  threadId: string,
  { graph_id, assistant_id }: Assistant,
): Promise<void> {
  await mirror(threads, threadId, {
    status: threadStatusOf("running"),
    error: null,
    graph: { graph_id, assistant_id },
  });
}

export async function mirrorFailure(
  threads: ThreadRepo,
  threadId: string,
  error: RunError,
): Promise<void> {
  await mirror(threads, threadId, { status: "error", error: error.message });
}

/** A thread that was deleted under its run has nothing to show. */
async function mirror(threads: ThreadRepo, threadId: string, patch: ThreadUpdate): Promise<void> {
  try {
    await threads.update(threadId, patch);
  } catch (error) {
    if (!(error instanceof SkeinHttpError && error.status === 404)) throw error;
  }
}
