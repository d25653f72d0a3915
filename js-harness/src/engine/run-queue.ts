// The background worker of a process: runs wait here in the order in which they were admitted. One run
// at a time executes on a thread, and a run that waits for its thread holds no worker.

import type { Assistant, Run } from "../stores/contract.js";

import type { RunOutcome } from "./outcome.js";

/** What the process that admitted a run knows of it since then. */
export interface AdmittedRun {
  readonly assistant?: Assistant | undefined;
  /** It was created together with its thread: no run is before it there. */
  readonly beginsThread?: boolean;
}

interface QueuedRun {
  readonly run: Run;
  readonly admitted: AdmittedRun | undefined;
  readonly resolve: (outcome: RunOutcome | null) => void;
  readonly reject: (error: unknown) => void;
}

export interface RunQueueOptions {
  /** How many threads execute at a time. */
  concurrency: number;
  execute: (run: Run, admitted?: AdmittedRun) => Promise<RunOutcome | null>;
  /** An execution whose end could not even be written; also told to whoever waits for the run. */
  onFailure: (runId: string, error: unknown) => void;
}

/** Runs of this process that wait or execute. */
export class RunQueue {
  readonly #options: RunQueueOptions;
  /** What waits, by thread. The order of the map is that in which threads get their turn. */
  readonly #waiting = new Map<string, QueuedRun[]>();
  readonly #executing = new Map<string, Promise<void>>();
  readonly #busyThreads = new Set<string>();
  #closed = false;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  /** The runs that execute now. */
  get executing(): string[] {
    return [...this.#executing.keys()];
  }

  /** Whether the run waits or executes in this process. */
  has(runId: string): boolean {
    if (this.#executing.has(runId)) return true;
    return [...this.#waiting.values()].some((line) => line.some(({ run }) => run.run_id === runId));
  }

  /**
   * Queues a run; answers how its execution ended. Null for one that was not executed: it was withdrawn, or
   * gone, or the queue closed and leaves it `pending` in the store.
   */
  push(run: Run, admitted?: AdmittedRun): Promise<RunOutcome | null> {
    if (this.#closed) return Promise.resolve(null);
    const outcome = new Promise<RunOutcome | null>((resolve, reject) => {
      const line = this.#waiting.get(run.thread_id) ?? [];
      line.push({ run, admitted, resolve, reject });
      this.#waiting.set(run.thread_id, line);
    });
    // Often nobody waits for the outcome, and its failure must be told all the same.
    outcome.catch((error: unknown) => this.#options.onFailure(run.run_id, error));
    this.#fill();
    return outcome;
  }

  /** Takes a run that has not begun out of the line; answers whether there was one. */
  withdraw(runId: string): boolean {
    for (const [threadId, line] of this.#waiting) {
      const index = line.findIndex(({ run }) => run.run_id === runId);
      if (index < 0) continue;
      const [withdrawn] = line.splice(index, 1);
      if (line.length === 0) this.#waiting.delete(threadId);
      withdrawn?.resolve(null);
      return true;
    }
    return false;
  }

  /** Begins nothing more. Answers when all that executes has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const line of this.#waiting.values()) for (const { resolve } of line) resolve(null);
    this.#waiting.clear();
    await Promise.all(this.#executing.values());
  }

  #fill(): void {
    for (const [threadId, line] of this.#waiting) {
      if (this.#executing.size >= this.#options.concurrency) return;
      if (this.#busyThreads.has(threadId)) continue;
      const next = line.shift();
      // What still waits on the thread goes behind the other threads.
      this.#waiting.delete(threadId);
      if (line.length > 0) this.#waiting.set(threadId, line);
      if (next) this.#begin(next);
    }
  }

  #begin({ run, admitted, resolve, reject }: QueuedRun): void {
    const { run_id: runId, thread_id: threadId } = run;
    this.#busyThreads.add(threadId);
    const execution = this.#options
      .execute(run, admitted)
      .then(resolve, reject)
      .finally(() => {
        this.#executing.delete(runId);
        this.#busyThreads.delete(threadId);
        this.#fill();
      });
    this.#executing.set(runId, execution);
  }
}
