import type { RunResult, RunStatus, StoredTexts } from "../wasm/shapes.js";
import type { Interrupt } from "@langchain/langgraph-sdk";

import { readArgument, requireText } from "../wasm/argument.js";
import { declaredParts } from "./declared-parts.js";
import { SkeinResultsError } from "../wasm/errors.js";
import type { RunMark } from "./mark.js";
import { ask } from "../wasm/instance.js";
import type { Shape, TaskFacts, TaskPlan } from "../wasm/glue.js";

/** The members of a run row that a task is made of. */
export interface TaskRun {
  run_id: string;
  thread_id: string;
  status: RunStatus;
  /** When the status was last written. */
  updated_at: string;
  /** Why the run failed. */
  error?: { message?: string } | null;
}

/** What {@link renderTask} needs. */
export interface TaskSource {
  /** The run row as it is *now*: its status is the effective one. */
  run: TaskRun;
  /** The run's mark. */
  mark: RunMark;
  /** The run's result, or as much of it as was read, or null. */
  result: Partial<RunResult> | null;
  /** True if a later run has started on the thread. */
  movedOn: boolean;
  /** The messages of the runs of the lineage, in order, as texts. Default: that of this run. */
  messages?: readonly (string | null)[];
}

/** The state of a task (A2A 4.1.3), protocol-neutral. */
export type TaskState = TaskPlan["state"];

/** A part of an artifact or of a question; `wire` is one that the graph has made, in its JSON form. */
export type TaskPart =
  { kind: "text"; text: string } | { kind: "data"; data: unknown } | { kind: "wire"; part: object };

/** A run and its result as a task. Every id in it is derived from the run's, and so are its times. */
export interface TaskView {
  /** The id of the lineage's first run. */
  id: string;
  /** The thread, by the name that the caller knows it by. */
  contextId: string;
  state: TaskState;
  /** ISO 8601, UTC, milliseconds: when the run row took its status. */
  timestamp: string;
  /** Only under an effective success. */
  artifact: { artifactId: string; parts: TaskPart[]; as: "artifact" | "message" } | null;
  /** What a paused run asks, one part `{ id, value }` for each interrupt. */
  question: { messageId: string; parts: TaskPart[] } | null;
  /** Why a failed run failed: the text of the run's error, never a captured value. */
  failure: string | null;
  /** The messages that started the runs of the lineage, in order, for the task's history. */
  messages: unknown[];
}

/**
 * Shows a run as the task that it answers.
 *
 * @throws `invalid_argument` for a row that is none
 */
export function renderTask(source: TaskSource): TaskView {
  return readArgument("source", () => viewOf(source));
}

function viewOf(source: TaskSource): TaskView {
  const { run, mark, result, movedOn, messages = [mark.message] } = source;
  requireText("run_id", run.run_id);
  requireText("thread_id", run.thread_id);
  requireText("root", mark.root);
  const plan = planOf(factsOf(run, result, movedOn));
  return {
    id: mark.root,
    contextId: mark.context ?? run.thread_id,
    state: plan.state,
    timestamp: timestampOf(run),
    artifact: artifactOf(run, result, plan),
    question: plan.note === "questions" ? questionOf(run, result) : null,
    failure: plan.note === "failure" ? failureOf(run) : null,
    messages: messages.flatMap(recordedMessage),
  };
}

/** What the rules have answered: there are a few hundred different facts, and they are asked for each read. */
const plans = new Map<string, TaskPlan>();

function planOf(facts: TaskFacts): TaskPlan {
  const { status, reply, values, pause, thread } = facts;
  // A status that is none is refused, and nothing of it is kept.
  const key = typeof status === "string" ? [status, reply, values, pause, thread].join(" ") : null;
  const known = key === null ? undefined : plans.get(key);
  if (known) return known;
  const plan = ask((rules) => rules.planTask(facts));
  if (key !== null) plans.set(key, plan);
  return plan;
}

/** A row that was imported holds what its file held: what is no message or no text shows nothing. */
function recordedMessage(text: unknown): unknown[] {
  if (typeof text !== "string") return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function failureOf({ error }: TaskRun): string | null {
  const message: unknown = error?.message;
  return typeof message === "string" ? message : null;
}

/** The state of a run's task, without what it shows. */
export function stateOf(status: RunStatus, pause: TaskFacts["pause"], movedOn: boolean): TaskState {
  const thread = movedOn ? "moved-on" : "at-this-run";
  const facts: TaskFacts = { status, reply: "absent", values: "absent", pause, thread };
  return planOf(facts).state;
}

function factsOf(run: TaskRun, result: Partial<RunResult> | null, movedOn: boolean): TaskFacts {
  return {
    status: run.status,
    reply: declaredParts(result?.reply) ? "parts" : shapeOf(result?.reply),
    values: shapeOf(result?.values),
    pause: pauseOf(result),
    thread: movedOn ? "moved-on" : "at-this-run",
  };
}

function shapeOf(value: unknown): Shape {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  return typeof value === "string" ? "text" : "data";
}

/** Interrupts of which none is a question are a pause, too; {@link pauseOfTexts} and the SQL say the same. */
function pauseOf(result: Partial<RunResult> | null): TaskFacts["pause"] {
  if (interruptsOf(result).length > 0) return "questions";
  const interrupts: unknown = result?.interrupts ?? null;
  const checkpoint: unknown = result?.checkpoint ?? null;
  return (interrupts !== null && !isEmptyObject(interrupts)) || checkpoint !== null
    ? "breakpoint"
    : "none";
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same of the stored texts, without telling questions from breakpoints. */
export function pauseOfTexts(texts: Pick<StoredTexts, "interrupts" | "checkpoint">) {
  const { interrupts, checkpoint } = texts;
  const holdsInterrupts = interrupts !== null && interrupts !== "null" && interrupts !== "{}";
  const holdsCheckpoint = checkpoint !== null && checkpoint !== "null";
  return holdsInterrupts || holdsCheckpoint ? "breakpoint" : "none";
}

/** A result may have been recorded by anybody: what is no interrupt asks nothing. */
export function interruptsOf(result: Pick<RunResult, "interrupts"> | null): Interrupt[] {
  const byTask: unknown = result?.interrupts;
  return isObject(byTask) ? Object.values(byTask).flat().filter(isObject) : [];
}

function artifactOf(
  run: TaskRun,
  result: Partial<RunResult> | null,
  plan: TaskPlan,
): TaskView["artifact"] {
  if (!plan.artifact || !result) return null;
  const { source, part } = plan.artifact;
  const value = result[source];
  const artifactId = `result-${run.run_id}`;
  const declared = part === "parts" ? declaredParts(value) : null;
  if (declared) {
    const parts = declared.parts.map((wire): TaskPart => ({ kind: "wire", part: wire }));
    return { artifactId, parts, as: declared.as };
  }
  const only = part === "text" ? textPart(value) : dataPart(part, value);
  return { artifactId, parts: [only], as: "artifact" };
}

function textPart(value: unknown): TaskPart {
  return { kind: "text", text: String(value) };
}

function dataPart(part: "data" | "parts" | "wrapped-null", value: unknown): TaskPart {
  return { kind: "data", data: part === "wrapped-null" ? { value: null } : value };
}

function questionOf(run: TaskRun, result: Partial<RunResult> | null): TaskView["question"] {
  const parts = interruptsOf(result).map(({ id, value }): TaskPart => ({
    kind: "data",
    data: { id: typeof id === "string" ? id : null, value: value ?? null },
  }));
  return { messageId: `question-${run.run_id}`, parts };
}

function timestampOf(run: TaskRun): string {
  const { updated_at: at }: { updated_at: unknown } = run;
  const time = new Date(typeof at === "string" || at instanceof Date ? at : NaN);
  if (Number.isNaN(time.getTime())) {
    throw new SkeinResultsError(
      "invalid_argument",
      `The run ${run.run_id} has no valid updated_at. Pass the run row as the store returns it.`,
    );
  }
  return time.toISOString();
}
