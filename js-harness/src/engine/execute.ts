// One execution of a run: from `pending` to a terminal status, with every frame on the way. The run's
// row is written before the thread that mirrors it, so that a crash in between leaves a mirror that
// the next run puts right, and never a thread that nothing can run on.

import type { StateSnapshot } from "@langchain/langgraph";
import { isTerminalRunStatus } from "skein-results";

import type { Run, RunKwargs, RunRepo, RunStatus } from "../stores/contract.js";

import { statusOfAbort, type RunControl } from "./cancellation.js";
import { readDeclaredReply } from "./declared-reply.js";
import type { Engine } from "./engine.js";
import { graphCallOptions, graphInput, publishedModes } from "./graph-call.js";
import type { CompiledGraph } from "./graph.js";
import { beginContinuation } from "./resume-run.js";
import { resultOfSnapshot, statusOfSnapshot, type RunOutcome } from "./outcome.js";
import { applyRollbackPlan } from "./rollback-plan.js";
import { RUN_TIMEOUT_ERROR, toRunError } from "./run-error.js";
import { armRunTimeout } from "./run-timeout.js";
import type { RunEnd, RunSettler } from "./settle.js";
import {
  mirrorFailure,
  mirrorSnapshot,
  mirrorStart,
  mirrorStatus,
  threadStatusOf,
} from "./thread-mirror.js";

/** An attempt to execute a run. */
export interface RunExecution {
  run: Run;
  kwargs: RunKwargs;
  control: RunControl;
  settler: RunSettler;
  /** Set when a continuation has been found to be one still. */
  continuation?: "answer" | "go-on";
}

/**
 * Executes the run and ends it, whatever happens on the way. Null for a run that was not executed.
 *
 * @throws only what the store throws when not even the failure can be written
 */
export function executeRun(engine: Engine, execution: RunExecution): Promise<RunOutcome | null> {
  return engine.saverWrites.during(() => execute(engine, execution));
}

async function execute(engine: Engine, execution: RunExecution): Promise<RunOutcome | null> {
  const { run, control, settler } = execution;
  const disarmTimeout = armRunTimeout(control, engine.runTimeoutMs);
  let outcome: RunOutcome | undefined;
  try {
    const begun = await begin(engine, execution);
    if (!begun.graph) return begun.status && { status: begun.status };
    const { end, snapshot } = await runGraph(engine, execution, begun.graph);
    outcome = outcomeOf(end, await settler.settle(end));
    await show(engine, run, outcome, snapshot);
    return outcome;
  } catch (thrown) {
    // The graph threw, or its result could not be captured, or the run had ended and only its thread
    // could not be shown. In the last case this second settle changes nothing.
    const end = endAfter(thrown, control);
    const status = await settler.settle(end);
    if (outcome)
      engine.log(`Run ${run.run_id} ended in a state that its thread does not show.`, thrown);
    else reportFailure(engine, run, end, status, thrown);
    outcome ??= outcomeOf(end, status);
    await showIfPossible(engine, run, outcome);
    return outcome;
  } finally {
    disarmTimeout();
    engine.bus.close(run.run_id);
  }
}

/** A run that executes has a graph; another one has the status that ended it while it waited. */
type Begun = { graph: CompiledGraph } | { graph?: never; status: RunStatus | null };

/**
 * `pending` to `running`. The status is null for a run that is gone or is not to be executed any more.
 */
async function begin(engine: Engine, execution: RunExecution): Promise<Begun> {
  const { run, kwargs, control, settler } = execution;
  const { runs, threads, assistants } = engine.store;
  // What is read beside the start counts only if the run starts.
  const [started, served, tip] = await Promise.allSettled([
    engine.startLocks.run(run.run_id, () => startInStore(runs, run.run_id, control.signal)),
    engine.graphs.served(assistants, run.assistant_id),
    // The claim keeps the tip as it is, but for what a plan takes back.
    kwargs.rollback_plan ? undefined : readTip(engine, execution),
  ]);
  const status = valueOf(started);
  if (status !== "running") return { status };
  settler.markStarted();
  // Not before: another process may have executed the run while it waited here for its thread.
  engine.endings.announceStart(run.run_id);
  if (kwargs.rollback_plan) await applyRollbackPlan(engine, run, kwargs.rollback_plan);
  const continuation = await beginContinuation(engine, run.thread_id, kwargs);
  if (continuation) execution.continuation = continuation;
  const { assistant, graph } = valueOf(served);
  // Nothing of this is under way any more when the graph begins, or when one of them has failed.
  const written = await Promise.allSettled([
    recordBase(engine, execution, tip),
    runs.passOverPaused?.(run.run_id),
    mirrorStart(threads, run.thread_id, assistant),
  ]);
  written.forEach(valueOf);
  return { graph };
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
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

/** The thread's tip; undefined where it is not needed, since an earlier attempt has noted it. */
async function readTip(
  { saver }: Engine,
  { run, kwargs }: RunExecution,
): Promise<string | null | undefined> {
  if (kwargs.base_checkpoint_id !== undefined) return undefined;
  const tip = await saver.getTuple({ configurable: { thread_id: run.thread_id } });
  return tip?.checkpoint.id ?? null;
}

/**
 * Notes the thread's tip before the run writes anything. A tip that could not be read is not noted:
 * "none" would make a rollback wipe the thread. An attempt that repeats a crashed one keeps the note.
 */
async function recordBase(
  engine: Engine,
  execution: RunExecution,
  early: PromiseSettledResult<string | null | undefined>,
): Promise<void> {
  const { run, kwargs } = execution;
  try {
    const tip = kwargs.rollback_plan ? await readTip(engine, execution) : valueOf(early);
    if (tip !== undefined) await engine.store.runs.recordBaseCheckpoint(run.run_id, tip);
  } catch (error) {
    engine.log(`Run ${run.run_id} cannot be rolled back: its base checkpoint is unknown.`, error);
  }
}

/** Runs the graph to its end, and says how the run is to end and in which state. */
async function runGraph(
  engine: Engine,
  execution: RunExecution,
  graph: CompiledGraph,
): Promise<{ end: RunEnd; snapshot?: StateSnapshot }> {
  const { run, control } = execution;
  const reply = await streamGraph(engine, execution, graph);
  // A node that does not listen to the signal finishes all the same; the abort still decides.
  if (control.signal.aborted) return { end: endAborted(control) };
  // The state comes from the saver, not from the stream: only it says whether the graph has paused.
  const snapshot = await graph.getState({ configurable: { thread_id: run.thread_id } });
  const result = resultOfSnapshot(snapshot, reply);
  return { end: { end: "finished", status: statusOfSnapshot(snapshot), result }, snapshot };
}

/** Publishes what the graph streams; answers the reply it declared last. */
async function streamGraph(
  engine: Engine,
  { run, kwargs, control, continuation }: RunExecution,
  graph: CompiledGraph,
): Promise<{ reply: unknown } | undefined> {
  const published = new Set<string>(publishedModes(kwargs.stream_mode));
  const options = graphCallOptions(kwargs, run.thread_id, control.signal);
  let reply: { reply: unknown } | undefined;
  const input = continuation === "go-on" ? null : graphInput(kwargs);
  for await (const chunk of await graph.stream(input, options)) {
    // The modes are passed as a list, so every chunk is a pair of mode and payload.
    const [mode, payload] = chunk as [string, unknown];
    if (mode === "custom") reply = readDeclaredReply(payload) ?? reply;
    if (published.has(mode)) engine.bus.publish(run.run_id, mode, payload);
  }
  return reply;
}

function endAborted(control: RunControl): RunEnd {
  const status = statusOfAbort(control.reason);
  return { end: "stopped", status, ...(status === "timeout" ? { error: RUN_TIMEOUT_ERROR } : {}) };
}

/** What was thrown by a graph that was told to stop is the abort itself. */
function endAfter(thrown: unknown, control: RunControl): RunEnd {
  if (control.signal.aborted) return endAborted(control);
  return { end: "stopped", status: "error", error: toRunError(thrown) };
}

function outcomeOf(end: RunEnd, status: RunStatus): RunOutcome {
  if (status !== end.status) return { status };
  if (end.end === "finished") return { status, result: end.result };
  return { status, ...(end.error ? { error: end.error } : {}) };
}

function reportFailure(
  engine: Engine,
  run: Run,
  end: RunEnd,
  status: RunStatus,
  thrown: unknown,
): void {
  if (status !== "error" || end.end !== "stopped" || !end.error) return;
  engine.log(`Run ${run.run_id} failed: ${end.error.message}`, thrown);
  engine.bus.publish(run.run_id, "error", end.error);
}

/** Mirrors how the run ended, and the state it ended in where there is one, onto its thread. */
async function show(
  engine: Engine,
  { thread_id }: Run,
  { status, result, error }: RunOutcome,
  snapshot?: StateSnapshot,
): Promise<void> {
  const { threads } = engine.store;
  if (error) await mirrorFailure(threads, thread_id, error);
  else if (result && snapshot) await mirrorSnapshot(threads, thread_id, snapshot, status);
  else await mirrorStatus(threads, thread_id, result ? threadStatusOf(status) : "idle");
}

async function showIfPossible(engine: Engine, run: Run, outcome: RunOutcome): Promise<void> {
  try {
    await show(engine, run, outcome);
  } catch (error) {
    engine.log(`Thread ${run.thread_id} does not show how its latest run ended.`, error);
  }
}
