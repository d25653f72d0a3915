// Answering a paused run. The package decides whether an answer resumes it; what is decided on is looked
// up here, inside the thread's execution claim, and the run is created in one step of the store.

import { randomUUID } from "node:crypto";

import {
  beginResume,
  planResume,
  type ResumeAnswer,
  type ResumeFacts,
  type ResumePlan,
} from "skein-results";

import {
  SkeinHttpError,
  type Checkpoint,
  type Run,
  type RunCreate,
  type RunKwargs,
} from "../stores/contract.js";

import type { Engine } from "./engine.js";
import { questionsWithLeftAnswers } from "./left-answers.js";
import { collectInterrupts } from "./outcome.js";
import { present } from "./present.js";
import type { RunQueue } from "./run-queue.js";
import { markedKwargs, type InternalRunOptions } from "./run-request.js";
import { withThreadExecution } from "./thread-execution.js";

/** An answer to a paused run. */
export interface ResumeRequest {
  /** The paused run. */
  runId: string;
  answer: ResumeAnswer;
}

/**
 * Creates the run that resumes a paused one, `pending`, and queues it; or refuses, and creates nothing.
 *
 * @throws 404; `resume_refused`
 */
export async function resumeRun(
  engine: Engine,
  queue: RunQueue,
  { runId, answer }: ResumeRequest,
  internal: InternalRunOptions,
): Promise<Run> {
  const { executionLocks, gate, admissionLocks } = engine;
  const { thread_id } = await requireRun(engine, runId);
  return withThreadExecution(executionLocks, gate, thread_id, async () => {
    const paused = await requireRun(engine, runId);
    const facts = await pauseFacts(engine, paused);
    const plan = planResume(facts, answer);
    return admissionLocks.run(thread_id, async () => {
      const create = await continuationOf(engine, paused, facts, plan, internal);
      const run = await createResume(engine, create, runId);
      // Another process has been quicker since the facts were looked up.
      if (!run) throw refusalOf({ ...facts, movedOn: true }, answer);
      void queue.push(run);
      // Whoever listens to the paused run goes on with this one.
      engine.endings.announce(runId);
      return run;
    });
  });
}

async function requireRun({ store }: Engine, runId: string): Promise<Run> {
  const run = await store.runs.get(runId);
  if (!run) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
  return run;
}

async function pauseFacts(engine: Engine, run: Run): Promise<ResumeFacts> {
  const { runs } = engine.store;
  const latest = await runs.latestForThread(run.thread_id);
  const movedOn = latest?.run_id !== run.run_id || (await runs.hasActiveRun(run.thread_id));
  const { checkpoint, interrupts = {} } = (await runs.getResult?.(run.run_id)) ?? {};
  const saved = await saverFacts(engine, run, checkpoint);
  return { run, movedOn, checkpoint, interrupts, ...saved };
}

/** What the saver holds of a thread: an id that is missing would be looked up as the tip. */
async function saverFacts(
  { saver, graphs, store }: Engine,
  { thread_id, assistant_id }: Run,
  checkpoint: Checkpoint | undefined,
): Promise<Pick<ResumeFacts, "found" | "tip" | "pending">> {
  const root = { configurable: { thread_id, checkpoint_ns: "" } };
  const tip = (await saver.getTuple(root))?.checkpoint.id ?? null;
  if (!isTextual(checkpoint)) return { found: null, tip, pending: [] };
  const { checkpoint_id, checkpoint_ns } = checkpoint;
  const exact = { configurable: { thread_id, checkpoint_ns: checkpoint_ns, checkpoint_id } };
  const paused = await saver.getTuple(exact);
  const graph = await graphs.forAssistant(store.assistants, assistant_id);
  const snapshot = await graph.getState({ configurable: { thread_id } });
  const questions = Object.values(collectInterrupts(snapshot)).flat();
  const left = paused && (await questionsWithLeftAnswers(store.runs, thread_id, paused, snapshot));
  // A question that is answered already, by nobody, is not the one that was asked.
  const pending = questions.filter(({ id }) => !left?.has(id));
  return { found: paused?.checkpoint.id ?? null, tip, pending };
}

/** What somebody else has recorded may be anything, and a saver is asked for texts only. */
function isTextual(
  checkpoint: Checkpoint | undefined,
): checkpoint is Checkpoint & { checkpoint_id: string } {
  const { checkpoint_id: id, checkpoint_ns: namespace } = (checkpoint ?? {}) as Record<
    string,
    unknown
  >;
  return typeof id === "string" && id !== "" && typeof namespace === "string";
}

/** The new run executes as the paused one did, on the same assistant, with the answer as its input. */
async function continuationOf(
  { store }: Engine,
  paused: Run,
  { checkpoint }: ResumeFacts,
  plan: ResumePlan,
  internal: InternalRunOptions,
): Promise<RunCreate> {
  const run_id = randomUUID();
  const earlier: RunKwargs = (await store.runs.getKwargs(paused.run_id)) ?? {};
  const { config, context, stream_mode, interrupt_before, interrupt_after, webhook } = earlier;
  const kwargs: RunKwargs = {
    ...(plan.at === "interrupts" ? { command: { resume: plan.resume } } : {}),
    ...present({ config, context, stream_mode, interrupt_before, interrupt_after, webhook }),
    resumes: { run_id: paused.run_id, checkpoint_id: checkpoint?.checkpoint_id ?? "" },
  };
  return {
    run_id,
    thread_id: paused.thread_id,
    assistant_id: paused.assistant_id,
    status: "pending",
    multitask_strategy: "reject",
    metadata: paused.metadata,
    kwargs: markedKwargs(kwargs, run_id, internal),
  };
}

/** A store that cannot check and create in one step admits to an idle thread, which the claim keeps so. */
function createResume({ store }: Engine, create: RunCreate, paused: string): Promise<Run | null> {
  const { runs } = store;
  if (typeof runs.createResume === "function") return runs.createResume(create, paused);
  return runs.createIfThreadIdle(create);
}

function refusalOf(facts: ResumeFacts, answer: ResumeAnswer): unknown {
  try {
    planResume(facts, answer);
  } catch (refusal) {
    return refusal;
  }
  return new Error("The thread has moved on, and its run was planned to be resumed.");
}

/**
 * How a continuation begins whose turn has come, inside the thread's execution claim.
 *
 * @throws `resume_refused`: another run got in between
 */
export async function beginContinuation(
  { store, saver }: Engine,
  threadId: string,
  { resumes, base_checkpoint_id: base }: RunKwargs,
): Promise<"answer" | "go-on" | undefined> {
  if (!resumes) return undefined;
  const paused = await store.runs.get(resumes.run_id);
  const tip = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  return beginResume({
    paused: paused?.status ?? null,
    checkpoint: resumes.checkpoint_id,
    tip: tip?.checkpoint.id,
    base,
  });
}
