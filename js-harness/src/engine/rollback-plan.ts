// What a `rollback` run does to its thread before it executes: take back what the runs it displaced
// have written, and delete their rows. The plan stands in the run's kwargs, so that whoever executes
// the run follows it, also after a crash. Following it twice comes to the same.

import type { Run, RunKwargs, RunRepo } from "../stores/contract.js";
import { checkpointRows } from "../threads/checkpoint-pruning/checkpoint-rows.js";
import { revertToCheckpoint } from "../threads/checkpoint-pruning/revert.js";

import type { Engine } from "./engine.js";

export type RollbackPlan = NonNullable<RunKwargs["rollback_plan"]>;

/** The plan for displacing these runs; made before they are stopped. */
export async function planRollback(
  runs: RunRepo,
  displaced: readonly Run[],
): Promise<RollbackPlan> {
  const displaced_run_ids = [...displaced]
    .sort((left, right) => (left.created_at < right.created_at ? -1 : 1))
    .map((run) => run.run_id);
  const base = await baseOfOldest(runs, displaced_run_ids);
  return { revert_to_checkpoint: base ?? false, displaced_run_ids };
}

/** Of runs in their order. One that has not executed has no base; the oldest one's was there before any of them. */
async function baseOfOldest(
  runs: RunRepo,
  runIds: readonly string[],
): Promise<{ base_checkpoint_id: string | null } | null> {
  for (const runId of runIds) {
    const base = await baseCheckpointOf(runs, runId);
    if (base) return base;
  }
  return null;
}

/** The tip that a run began from; null when it never noted one, so that nothing is taken back. */
export async function baseCheckpointOf(
  runs: RunRepo,
  runId: string,
): Promise<{ base_checkpoint_id: string | null } | null> {
  const base = (await runs.getKwargs(runId))?.base_checkpoint_id;
  return base === undefined ? null : { base_checkpoint_id: base };
}

/**
 * Follows a run's plan; the caller holds the thread's execution claim. A failure is logged and the run
 * goes on: it must not be stranded by what it displaced.
 */
export async function applyRollbackPlan(
  engine: Engine,
  run: Run,
  plan: RollbackPlan,
): Promise<void> {
  const { revert_to_checkpoint: planned, displaced_run_ids: displaced } = plan;
  const { runs } = engine.store;
  try {
    // Another process may have set out with one of them when the plan had been made.
    const base = planned || (await baseOfOldest(runs, displaced));
    if (base) {
      const rows = checkpointRows(engine.saver);
      await revertToCheckpoint(rows, run.thread_id, base.base_checkpoint_id);
    }
    for (const runId of displaced) {
      await runs.delete(runId);
      engine.endings.announce(runId);
    }
  } catch (error) {
    engine.log(`Run ${run.run_id} goes on although what it displaced could not be undone.`, error);
  }
}
