// The shapes of the Agent Protocol, taken from the official SDK: the client that will read them
// decides what they look like.

import type { Run as SdkRun } from "@langchain/langgraph-sdk";

export type {
  Assistant,
  Checkpoint,
  Config,
  DefaultValues,
  Interrupt,
  Metadata,
  StreamMode,
  Thread,
  ThreadState,
  ThreadStatus,
} from "@langchain/langgraph-sdk";

/**
 * The SDK knows no status for a cancelled run and calls it `error`. The server keeps the two apart,
 * because a client must be able to tell what it asked for from what went wrong.
 */
export type RunStatus = SdkRun["status"] | "cancelled";

/** What a second run on a busy thread does. */
export type MultitaskStrategy = NonNullable<SdkRun["multitask_strategy"]>;

/** Why a run failed, as its row and its error stream carry it. */
export interface RunError {
  /** Name of the error's class. */
  error: string;
  message: string;
}

/** A run as clients see it: the SDK's row, `cancelled` added, and the reason when it failed. */
export type Run = Omit<SdkRun, "status"> & { status: RunStatus; error?: RunError };
