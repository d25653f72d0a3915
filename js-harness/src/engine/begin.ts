// How an execution begins: from `pending` to `running`, and what is noted before the graph writes anything.
// The start goes out together with what is read for it, since each is a journey to the database.

import { isTerminalRunStatus } from "skein-results";

import type { Assistant, Run, RunRepo, RunStatus } from "../stores/contract.js";

import type { RunControl } from "./cancellation.js";
import type { Engine } from "./engine.js";
import type { RunExecution } from "./execute.js";
import { requireAssistant, type CompiledGraph } from "./graph.js";
import { beginContinuation } from "./resume-run.js";
import { applyRollbackPlan } from "./rollback-plan.js";
import type { AdmittedRun } from "./run-queue.js";
import { StartNotes, type Tip } from "./start-notes.js";
import { mirrorStart } from "./thread-mirror.js";

/** A start, and what was read beside it, which counts only if the run starts. */
export interface RunStart {
  status: PromiseSettledResult<RunStatus | null>;
  assistant: PromiseSettledResult<Assistant>;
  /** No run is before it on its thread. */
  beginsThread: boolean;
}

/** A run that executes. */
export interface Executing {
  graph: CompiledGraph;
  /**
   * What is noted while the graph sets out: done before the graph writes anything, or it writes nothing. A first
   * node may have done something by then, as in an attempt that is repeated after a crash.
   */
  notes: StartNotes;
}

/** Another one has the status that ended it while it waited. */
export type Begun = Executing | { graph?: never; status: RunStatus | null };

/** Starts a run inside its thread's claim. Never rejects. */
export async function startRun(
  engine: Engine,
  { run, admitted, control }: { run: Run; admitted: AdmittedRun; control: RunControl },
): Promise<RunStart> {
  const { store, startLocks } = engine;
  const [status, assistant] = await Promise.allSettled([
    startLocks.run(run.run_id, () => startInStore(store.runs, run.run_id, control.signal)),
    admitted.assistant ?? requireAssistant(store.assistants, run.assistant_id),
  ]);
  return { status, assistant, beginsThread: admitted.beginsThread ?? false };
}

/** The start of a run that has failed in between: if it is running, it has to end by this. */
export function failedBy(reason: unknown): (start: RunStart) => RunStart {
  return (start) => {
    const isRunning = start.status.status === "fulfilled" && start.status.value === "running";
    return isRunning ? { ...start, status: { status: "rejected", reason } } : start;
  };
}

/**
 * Goes on from the start to where the graph is called. The status is null for a run that is gone or is not
 * to be executed any more.
 */
export async function begin(
  engine: Engine,
  execution: RunExecution,
  start: RunStart,
): Promise<Begun> {
  const { run, kwargs, settler } = execution;
  const { runs, threads } = engine.store;
  const status = valueOf(start.status);
  if (status !== "running") return { status };
  settler.markStarted();
  // Not before: another process may have executed the run while it waited here for its thread.
  engine.endings.announceStart(run.run_id);
  if (kwargs.rollback_plan) await applyRollbackPlan(engine, run, kwargs.rollback_plan);
  const continuation = await beginContinuation(engine, run.thread_id, kwargs);
  if (continuation) execution.continuation = continuation;
  const assistant = valueOf(start.assistant);
  const graph = engine.graphs.graphOf(assistant);
  const notes = new StartNotes({
    threadId: run.thread_id,
    underWay: [
      start.beginsThread ? undefined : runs.passOverPaused?.(run.run_id),
      mirrorStart(threads, run.thread_id, assistant),
    ],
    noteBase: (readTip) => recordBase(engine, execution, readTip),
    readTip: () => tipOf(engine, run.thread_id),
  });
  return { graph, notes };
}

/**
 * Answers the status that the row then has; null for a run that is gone, or is not to begin because the
 * host closes: it stays as it is, and is recovered when one opens.
 *
 * One conditional write where the store offers it. Otherwise the status is written whatever it is by
 * now, and what another process has ended since the row was read is brought back.
 */
async function startInStore(
  runs: RunRepo,
  runId: string,
  { aborted }: AbortSignal,
): Promise<RunStatus | null> {
  if (!aborted && typeof runs.startRun === "function") {
    return (await runs.startRun(runId))?.status ?? null;
  }
  const current = await runs.get(runId);
  if (!current || isTerminalRunStatus(current.status)) return current?.status ?? null;
  if (aborted) return null;
  await runs.setStatus(runId, "running");
  return "running";
}

async function tipOf({ saver }: Engine, threadId: string): Promise<Tip> {
  const tip = await saver.getTuple({ configurable: { thread_id: threadId } });
  return tip?.checkpoint.id ?? null;
}

/**
 * Notes the checkpoint that a run began from. A tip that could not be read is not noted: "none" would make
 * a rollback wipe the thread. An attempt that repeats a crashed one keeps the note.
 */
async function recordBase(
  engine: Engine,
  { run, kwargs }: RunExecution,
  readTip: () => Promise<Tip>,
): Promise<void> {
  if (kwargs.base_checkpoint_id !== undefined) return;
  try {
    await engine.store.runs.recordBaseCheckpoint(run.run_id, await readTip());
  } catch (error) {
    engine.log(`Run ${run.run_id} cannot be rolled back: its base checkpoint is unknown.`, error);
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}
