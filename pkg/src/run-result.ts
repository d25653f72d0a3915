import type { Checkpoint, DefaultValues, Interrupt } from "@langchain/langgraph-sdk";

/**
 * What a run answered: the engine's outcome, and what is kept of it (contract 1).
 *
 * Status and error stay on the run. Everything in a result is plain wire JSON once it is stored.
 */
export interface RunResult {
  /** The final state of the graph. Always there; a value that JSON leaves out is kept as `null`. */
  values: DefaultValues;
  /** The questions of a paused run, keyed by the id of the task that asked. */
  interrupts?: Record<string, Interrupt[]>;
  /** What the graph declared as its answer for the caller. */
  reply?: unknown;
  /** The coordinate of the checkpoint that the run ended at. */
  checkpoint?: Checkpoint;
}

/** The status of a run, as the Agent Protocol spells it. */
export type RunStatus =
  "pending" | "running" | "success" | "error" | "timeout" | "interrupted" | "cancelled";

/** A status that is final. A paused run has ended, too: its answer arrives as a new run. */
export type TerminalRunStatus = Exclude<RunStatus, "pending" | "running">;
