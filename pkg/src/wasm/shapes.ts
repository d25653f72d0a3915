// The shapes of what crosses into the rules and back. They stand at the bottom, so that nothing in this
// folder imports what is built on it.

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

/**
 * A result as it is stored: four JSON texts beside the run, of which only `values` is always there.
 *
 * The texts are opaque to a driver. They are not normalised for `jsonb`: keep them in `text`
 * columns, which carry every text that JSON allows, byte for byte.
 */
export interface ResultTexts {
  /** JSON text of the values; JSON null is the text `null`. */
  readonly values: string;
  readonly interrupts: string | null;
  readonly reply: string | null;
  readonly checkpoint: string | null;
}

/** A row of the four columns, which are all null where there is no result. */
export interface StoredTexts {
  readonly values: string | null;
  readonly interrupts: string | null;
  readonly reply: string | null;
  readonly checkpoint: string | null;
}

/** A run and its texts. */
export type ResultEntry = readonly [runId: string, texts: ResultTexts];

/** What a conditional write came to. The answer for an unknown run is null. */
export interface StatusOutcome {
  /** The effective status: what the row holds after the call. */
  readonly status: RunStatus;
  /** True if this call wrote it. */
  readonly won: boolean;
}
