// Deletes the threads whose time is up. The store says which; the service deletes them, since a thread
// may have a run that executes and has checkpoints that the store knows nothing of.

import type { Log } from "../engine/engine.js";
import type { ThreadRepo } from "../stores/contract.js";

/** So that one sweep is a bounded piece of work. */
const BATCH = 100;

export interface TtlSweeperOptions {
  threads: Pick<ThreadRepo, "listExpired">;
  deleteThread: (threadId: string) => Promise<void>;
  log: Log;
  intervalMs: number;
}

/** Sweeps when it is told to, and from time to time once it is started. */
export class ThreadTtlSweeper {
  readonly #options: TtlSweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor(options: TtlSweeperOptions) {
    this.#options = options;
  }

  /** Deletes what is due now, and answers how many threads that were. */
  async sweep(now = new Date()): Promise<number> {
    const { threads, deleteThread, log } = this.#options;
    if (typeof threads.listExpired !== "function") return 0;
    const failed = new Set<string>();
    let swept = 0;
    for (;;) {
      const due = await threads.listExpired({ now: now.toISOString(), limit: BATCH + failed.size });
      const next = due.filter((threadId) => !failed.has(threadId));
      if (next.length === 0) return swept;
      for (const threadId of next) {
        try {
          await deleteThread(threadId);
          swept += 1;
        } catch (error) {
          failed.add(threadId);
          log(`Thread ${threadId} is past its time and could not be deleted.`, error);
        }
      }
    }
  }

  start(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => {
      this.#sweeping = this.sweep().catch((error: unknown) =>
        this.#options.log("Threads past their time could not be looked for.", error),
      );
    }, this.#options.intervalMs);
    this.#timer.unref();
  }

  /** Answers when nothing is being deleted any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#sweeping;
  }
}
