import type { ThreadExecutionGate, ThreadExecutionLease } from "../stores/contract.js";

import type { ThreadLocks } from "./thread-locks.js";

/**
 * Runs the task with the thread to itself: in this process by the lock, and across processes by the
 * gate, where there is one. Nesting on one thread waits for itself for ever.
 *
 * The lock comes first, so that a burst on one thread costs one acquisition of the gate at a time.
 */
export function withThreadExecution<T>(
  locks: ThreadLocks,
  gate: ThreadExecutionGate | undefined,
  threadId: string,
  task: () => Promise<T>,
): Promise<T> {
  return locks.run(threadId, async () => {
    if (!gate) return task();
    const lease = await acquire(gate, threadId);
    try {
      return await task();
    } finally {
      await lease.release();
    }
  });
}

/** Going on without the lease would let two executors write one thread's checkpoints. */
async function acquire(gate: ThreadExecutionGate, threadId: string): Promise<ThreadExecutionLease> {
  try {
    return await gate.acquire(threadId);
  } catch (cause) {
    throw new Error(`Thread "${threadId}" could not be claimed for execution.`, { cause });
  }
}
