// Admitting a run to its thread: what happens to the runs that are there already.

import { randomUUID } from "node:crypto";

import { offers } from "../auth/offers.js";
import {
  SkeinHttpError,
  type MultitaskStrategy,
  type Run,
  type RunCreate,
  type RunOnNewThread,
  type SkeinStore,
} from "../stores/contract.js";
import { isStorableId, requireStorableId } from "../stores/storable.js";
import { getOrCreateThread } from "../threads/get-or-create.js";

import type { Engine } from "./engine.js";
import { requireAssistant } from "./graph.js";
import type { RunOutcome } from "./outcome.js";
import { planRollback } from "./rollback-plan.js";
import type { RunQueue } from "./run-queue.js";
import { runKwargs, type InternalRunOptions, type RunRequest } from "./run-request.js";
import { settleDisplaced } from "./settle.js";
import { stopRun } from "./stop-run.js";

/** A run that was admitted, and how its execution comes out. */
export interface SubmittedRun {
  run: Run;
  /** Null when the run was cancelled before its turn, or deleted, or the host closed. */
  outcome: Promise<RunOutcome | null>;
}

/**
 * Creates the run, `pending`, and queues it; or refuses.
 *
 * @throws 400 for an id that no store can hold, 404 for an unknown thread or assistant, 422 for a busy
 * thread under `reject`
 */
export async function admitRun(
  engine: Engine,
  queue: RunQueue,
  request: RunRequest,
  internal: InternalRunOptions,
): Promise<SubmittedRun> {
  const { store, admissionLocks } = engine;
  const isLookedUpByStore =
    request.threadId === null &&
    offers(store.runs, "createOnNewThread") &&
    isStorableId(request.assistantId);
  const [assistant, known] = await Promise.all([
    isLookedUpByStore ? undefined : requireAssistant(store.assistants, request.assistantId),
    request.threadId === null ? null : store.threads.get(request.threadId),
  ]);
  if (!known && request.threadId !== null && request.ifNotExists !== "create") {
    throw SkeinHttpError.notFound(`Thread "${request.threadId}" not found.`);
  }
  // Before a thread is made for it, in a store that does not make both in one step.
  const run_id = requireStorableId(request.runId ?? randomUUID(), "run_id");
  const strategy = request.multitaskStrategy ?? "reject";
  const create: RunCreate = {
    run_id,
    thread_id: request.threadId ?? randomUUID(),
    assistant_id: assistant?.assistant_id ?? request.assistantId,
    status: "pending",
    multitask_strategy: strategy,
    kwargs: runKwargs(request, run_id, internal),
    ...(request.metadata === undefined ? {} : { metadata: request.metadata }),
  };
  return admissionLocks.run(create.thread_id, async () => {
    const begun = known ? null : await createOnNewThread(store, create);
    const run = begun?.run ?? (await createRun(engine, queue, create, strategy));
    // Still under the lock: runs wait in the order in which they were admitted.
    const admitted = begun ? { assistant: begun.assistant, beginsThread: true } : { assistant };
    return { run, outcome: queue.push({ ...run }, admitted) };
  });
}

/** Null where the run is still to be created, on a thread that is there by now. */
async function createOnNewThread(
  { runs, threads }: SkeinStore,
  create: RunCreate,
): Promise<RunOnNewThread | null> {
  const begun = (await runs.createOnNewThread?.(create)) ?? null;
  if (!begun) await getOrCreateThread(threads, create.thread_id);
  return begun;
}

function createRun(
  engine: Engine,
  queue: RunQueue,
  create: RunCreate,
  strategy: MultitaskStrategy,
): Promise<Run> {
  if (strategy === "reject") return createOnIdleThread(engine, create);
  if (strategy === "enqueue") return engine.store.runs.create(create);
  return createInPlaceOfOthers(engine, queue, create, strategy);
}

/** One atomic step of the store: of two processes that ask at once, one gets the thread. */
async function createOnIdleThread({ store }: Engine, create: RunCreate): Promise<Run> {
  const run = await store.runs.createIfThreadIdle(create);
  if (run) return run;
  throw SkeinHttpError.unprocessable(
    "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.",
  );
}

/**
 * Ends the runs in flight and creates the new one, which waits for the thread's execution claim until
 * the run it displaces has let go.
 */
async function createInPlaceOfOthers(
  engine: Engine,
  queue: RunQueue,
  create: RunCreate,
  strategy: "interrupt" | "rollback",
): Promise<Run> {
  const { runs } = engine.store;
  const displaced = await runs.listActiveRuns(create.thread_id);
  const rollback =
    strategy === "rollback" && displaced.length > 0
      ? { rollback_plan: await planRollback(runs, displaced) }
      : {};
  for (const run of displaced) {
    const status = strategy === "interrupt" ? "interrupted" : "cancelled";
    await engine.startLocks.run(run.run_id, () => settleDisplaced(engine, run, status));
    stopRun(engine, queue, run.run_id, strategy);
  }
  return runs.create({ ...create, kwargs: { ...create.kwargs, ...rollback } });
}
