// Answers that a saver still holds although the run that gave them is gone. LangGraph writes an answer at the
// checkpoint of its question, and goes on to no other one before the whole step is done: a run that is erased
// or rolled back meanwhile leaves its answer there, and the graph would take it for the next one.

import type { StateSnapshot } from "@langchain/langgraph";
import { RESUME, type CheckpointTuple } from "@langchain/langgraph-checkpoint";

import type { Interrupt, RunRepo } from "../stores/contract.js";

/** The open questions to which the saver holds more answers than the runs that are there have given. */
export async function questionsWithLeftAnswers(
  runs: RunRepo,
  threadId: string,
  { checkpoint, pendingWrites = [] }: CheckpointTuple,
  { tasks }: Pick<StateSnapshot, "tasks">,
): Promise<ReadonlySet<Interrupt["id"]>> {
  const held = new Map<Interrupt["id"], number>();
  for (const [at, channel, answers] of pendingWrites) {
    if (channel !== RESUME) continue;
    // Under the question's own id there is the latest answer, under the task's all that it was given.
    const asked = tasks.find(({ id }) => id === at)?.interrupts.map(({ id }) => id) ?? [at];
    const count = Array.isArray(answers) ? answers.length : 1;
    for (const id of asked) held.set(id, Math.max(held.get(id) ?? 0, count));
  }
  if (held.size === 0) return new Set();
  const given = await answersGiven(runs, threadId, checkpoint.id);
  return new Set([...held].filter(([id, count]) => count > (given.get(id) ?? 0)).map(([id]) => id));
}

/** How many answers to each question the runs of the thread have given at a checkpoint. */
async function answersGiven(
  runs: RunRepo,
  threadId: string,
  checkpointId: string,
): Promise<ReadonlyMap<Interrupt["id"], number>> {
  const given = new Map<Interrupt["id"], number>();
  for (const { run_id } of await runs.listByThread(threadId)) {
    const { resumes, command } = (await runs.getKwargs(run_id)) ?? {};
    if (resumes?.checkpoint_id !== checkpointId) continue;
    for (const id of Object.keys(command?.resume ?? {})) given.set(id, (given.get(id) ?? 0) + 1);
  }
  return given;
}
