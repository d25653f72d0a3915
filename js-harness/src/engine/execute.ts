// One execution of a run: from `pending` to a terminal status, with every frame on the way. The run's
// row is written before the thread that mirrors it, so that a crash in between leaves a mirror that
// the next run puts right, and never a thread that nothing can run on.

import { setImmediate } from "node:timers/promises";

import type { StateSnapshot } from "@langchain/langgraph";

import type { Run, RunKwargs, RunStatus } from "../stores/contract.js";

import { begin, type Executing, type RunStart } from "./begin.js";
import { statusOfAbort, type RunControl } from "./cancellation.js";
import { readDeclaredReply } from "./declared-reply.js";
import type { Engine } from "./engine.js";
import { graphCallOptions, graphInput, publishedModes } from "./graph-call.js";
import type { CompiledGraph } from "./graph.js";
import { resultOfSnapshot, statusOfSnapshot, type RunOutcome } from "./outcome.js";
import { RUN_TIMEOUT_ERROR, toRunError } from "./run-error.js";
import { armRunTimeout } from "./run-timeout.js";
import type { RunEnd, RunSettler } from "./settle.js";
import { mirrorFailure, mirrorSnapshot, mirrorStatus, threadStatusOf } from "./thread-mirror.js";

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
 * Executes a run whose start is under way, and ends it, whatever happens. Null for a run that was not executed.
 *
 * @throws only what the store throws when not even the failure can be written
 */
export function executeRun(
  engine: Engine,
  execution: RunExecution,
  start: Promise<RunStart>,
): Promise<RunOutcome | null> {
  return engine.saverWrites.during(execution.run.thread_id, () =>
    execute(engine, execution, start),
  );
}

async function execute(
  engine: Engine,
  execution: RunExecution,
  start: Promise<RunStart>,
): Promise<RunOutcome | null> {
  const { run, control, settler } = execution;
  const disarmTimeout = armRunTimeout(control, engine.runTimeoutMs);
  let outcome: RunOutcome | undefined;
  try {
    const begun = await begin(engine, execution, await start);
    if (!begun.graph) return begun.status && { status: begun.status };
    const { end, snapshot } = await runGraph(engine, execution, begun);
    outcome = outcomeOf(end, await settler.settle(end));
    // Whoever has waited for the run reads it now, and goes first.
    await setImmediate();
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

/** Runs the graph to its end, and says how the run is to end and in which state. */
async function runGraph(
  engine: Engine,
  execution: RunExecution,
  { graph, notes }: Executing,
): Promise<{ end: RunEnd; snapshot?: StateSnapshot }> {
  const { run, control } = execution;
  const reply = await engine.saverWrites.after(notes, () => streamGraph(engine, execution, graph));
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
