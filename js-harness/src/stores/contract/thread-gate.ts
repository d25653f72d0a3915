/** The right to execute on a thread, until it is released. */
export interface ThreadExecutionLease {
  release(): Promise<void>;
}

/**
 * Lets one executor at a time onto a thread, across processes. A run holds its lease while it
 * executes, which may be minutes: a lease that can lapse before that would let a second run write
 * the same checkpoints.
 */
export interface ThreadExecutionGate {
  /** Waits for the thread. A rejection fails the run that asked; it never goes on without a lease. */
  acquire(threadId: string): Promise<ThreadExecutionLease>;
}
