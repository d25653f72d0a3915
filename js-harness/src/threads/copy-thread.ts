// A copy of a thread: its checkpoints, its row, and the runs that have ended with their results.

import { randomUUID } from "node:crypto";

import { isTerminalRunStatus, withoutMark } from "skein-results";

import type { Engine } from "../engine/engine.js";
import { SkeinHttpError, type Run, type SkeinStore, type Thread } from "../stores/contract.js";

import { copyCheckpoints, databaseOf } from "./checkpoint-copies.js";

/**
 * Copies a thread under a new id. The source is not claimed: a copy of a thread that executes is what
 * there was when it was made, and what comes after does not reach it.
 *
 * @throws 404
 */
export async function copyThread(engine: Engine, threadId: string): Promise<Thread> {
  const { store, saver } = engine;
  if (!(await store.threads.get(threadId))) {
    throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
  }
  // The runs are chosen before the checkpoints are copied. A run that ends meanwhile is not on the
  // copy; a run that is on it had written all its checkpoints.
  const runs = await store.runs.listByThread(threadId);
  const ended = runs.filter((run) => isTerminalRunStatus(run.status));

  const { threads } = store;
  if (typeof threads.copyWithRuns !== "function") return copyInSteps(engine, threadId, ended);
  const copy = { thread_id: randomUUID(), run_ids: ended.map(({ run_id }) => run_id) };
  const copySaved = (on?: unknown) => copyCheckpoints(saver, threadId, copy.thread_id, on);
  try {
    // In one step with the rows where both live in one database: a process that dies leaves nothing.
    if (threads.copiesIn !== undefined && threads.copiesIn === databaseOf(saver)) {
      return await threads.copyWithRuns(threadId, { ...copy, beside: copySaved });
    }
    // Before the rows otherwise: until there is a row, nobody knows the thread.
    await copySaved();
    return await threads.copyWithRuns(threadId, copy);
  } catch (error) {
    await takeBack(engine, copy.thread_id, () => saver.deleteThread(copy.thread_id));
    throw error;
  }
}

/**
 * For a store that cannot copy rows in one step: the runs come one by one, and are ordinary ones,
 * since a task must not be seen without its result.
 */
async function copyInSteps(
  engine: Engine,
  threadId: string,
  ended: readonly Run[],
): Promise<Thread> {
  const { store, saver } = engine;
  const copy = await store.threads.copy(threadId);
  try {
    await copyCheckpoints(saver, threadId, copy.thread_id);
    for (const run of ended) await copyRun(store, run, copy.thread_id);
    if (copy.status !== "busy") return copy;
    return await store.threads.update(copy.thread_id, { status: "idle" });
  } catch (error) {
    await takeBack(engine, copy.thread_id, async () => {
      await saver.deleteThread(copy.thread_id);
      await store.threads.delete(copy.thread_id);
    });
    throw error;
  }
}

async function copyRun({ runs }: SkeinStore, run: Run, thread_id: string): Promise<void> {
  const kwargs = await runs.getKwargs(run.run_id);
  const { assistant_id, status, metadata, multitask_strategy } = run;
  await runs.create({
    thread_id,
    assistant_id,
    status,
    multitask_strategy: multitask_strategy ?? null,
    ...(metadata ? { metadata } : {}),
    ...(kwargs ? { kwargs: withoutMark(kwargs) } : {}),
  });
}

/** What cannot be taken back is told in the log; the caller is told why the copy failed. */
async function takeBack(
  { log }: Engine,
  threadId: string,
  removal: () => Promise<void>,
): Promise<void> {
  try {
    await removal();
  } catch (error) {
    log(`Thread ${threadId} is a copy that failed, and something of it stays.`, error);
  }
}
