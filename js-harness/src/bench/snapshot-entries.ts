// Snapshots to measure with: results of about one kilobyte, as a chat leaves them.

import type { RunResult, SnapshotResults } from "skein-results";

/** A result whose JSON text is about one kilobyte. */
function kilobyteResult(index: number): RunResult {
  const message = (type: string, turn: number) => ({
    type,
    id: `message-${index}-${turn}`,
    content: `Turn ${turn} of run ${index}: ${"all work and no play ".repeat(8)}`,
    additional_kwargs: {},
    response_metadata: { model: "none", finish_reason: "stop" },
  });
  return {
    values: { messages: [message("human", 0), message("ai", 1), message("ai", 2)] },
    checkpoint: {
      thread_id: `thread-${index}`,
      checkpoint_ns: "",
      checkpoint_id: `checkpoint-${index}`,
      checkpoint_map: null,
    },
  };
}

/** Entries of this many runs, parsed from JSON as an import finds them. */
export function snapshotEntries(count: number): SnapshotResults {
  const entries: SnapshotResults = Array.from({ length: count }, (_, index) => [
    runId(index),
    kilobyteResult(index),
  ]);
  return JSON.parse(JSON.stringify(entries)) as SnapshotResults;
}

export function runId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
}
