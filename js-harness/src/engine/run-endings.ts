// Waiting for the end of a run, wherever it executes.

import { isTerminalRunStatus } from "skein-results";

import type { Run, RunRepo } from "../stores/contract.js";

/** How soon the end of a run that executes in another process is noticed. */
const POLL_MS = 200;

/** What a waiter wants to be told of. */
type Awaited = "changes" | "end";

/** How sure it is that the run has ended. */
type News = "may have ended" | "has ended";

/** Tells those who wait in this process that a run's row may have become terminal, or may be gone. */
export class RunEndings {
  readonly #waiting = new Map<string, Map<(news?: News) => void, Awaited>>();
  /** Runs that execute here and have not ended, as far as this process is concerned. */
  readonly #executing = new Set<string>();
  #closed = false;

  /** Says that the run executes here, where its end will be announced; answers how to take that back. */
  expect(runId: string): () => void {
    this.#executing.add(runId);
    return () => void this.#executing.delete(runId);
  }

  announce(runId: string, news: News = "may have ended"): void {
    if (news === "has ended") this.#executing.delete(runId);
    for (const wake of this.#waiting.get(runId)?.keys() ?? []) wake(news);
  }

  /** The run executes from now on, which is nothing to those who wait for its end. */
  announceStart(runId: string): void {
    for (const [wake, awaited] of this.#waiting.get(runId) ?? []) {
      if (awaited === "changes") wake();
    }
  }

  /** Ends every wait: the store is about to close. */
  close(): void {
    this.#closed = true;
    for (const runId of this.#waiting.keys()) this.announce(runId);
  }

  /**
   * The row when it is terminal; null when the run is gone.
   *
   * @throws when the host closes or the signal aborts before that
   */
  async wait(runs: RunRepo, runId: string, signal?: AbortSignal): Promise<Run | null> {
    // Read first: the row may be none that the caller may see.
    const ended = await this.#untilEnded(runs, runId, false, signal);
    return ended === undefined ? runs.get(runId) : ended;
  }

  /** As {@link wait}, for a caller that has been given the run, and reads what it needs of it afterwards. */
  async untilEnded(runs: RunRepo, runId: string): Promise<void> {
    await this.#untilEnded(runs, runId, this.#executing.has(runId));
  }

  /** The row if it was read, undefined if it was only told that the run has ended. */
  async #untilEnded(
    runs: RunRepo,
    runId: string,
    skipsRead: boolean,
    signal?: AbortSignal,
  ): Promise<Run | null | undefined> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closed) throw new Error(`The host closed while run "${runId}" was waited for.`);
      // Listening before reading: an end between the two is not missed.
      const change = this.#next("end", runId);
      try {
        if (!skipsRead) {
          const run = await runs.get(runId);
          if (!run || isTerminalRunStatus(run.status)) return run;
        }
        skipsRead = false;
        if ((await change.happened) === "has ended") return undefined;
      } finally {
        change.forget();
      }
    }
  }

  /**
   * Tells when the row of a run may have changed, in whichever process; ends when the run has ended or
   * is gone, when the signal aborts, and when the host closes. It listens from this call on.
   */
  changes(runs: RunRepo, runId: string, signal?: AbortSignal): AsyncIterableIterator<undefined> {
    let change = this.#next("changes", runId);
    let seen: string | undefined;
    let wasWoken = false;
    let isOver = false;
    const isStopped = (): boolean => isOver;
    const stop = (): void => {
      isOver = true;
      change.wake();
      change.forget();
      signal?.removeEventListener("abort", stop);
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    return {
      next: async () => {
        for (;;) {
          if (isStopped() || this.#closed) break;
          const run = await runs.get(runId);
          const isPaused = run?.status === "interrupted";
          if (!run || (isTerminalRunStatus(run.status) && !isPaused)) break;
          const row = `${run.status} ${run.updated_at}`;
          // What becomes of a pause does not have to show in its own row.
          if (row !== seen || (isPaused && wasWoken)) {
            wasWoken = false;
            seen = row;
            return { done: false, value: undefined };
          }
          await change.happened;
          wasWoken = true;
          change.forget();
          if (!isStopped()) change = this.#next("changes", runId);
        }
        stop();
        return { done: true, value: undefined };
      },
      return: () => {
        stop();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #next(
    awaited: Awaited,
    runId: string,
  ): {
    happened: Promise<News>;
    wake: (news?: News) => void;
    forget: () => void;
  } {
    const waiting = this.#waiting.get(runId) ?? new Map<(news?: News) => void, Awaited>();
    this.#waiting.set(runId, waiting);
    let tell: (news: News) => void = () => undefined;
    const happened = new Promise<News>((resolve) => (tell = resolve));
    const wake = (news: News = "may have ended"): void => tell(news);
    const timer = setTimeout(() => wake(), POLL_MS);
    waiting.set(wake, awaited);
    return {
      happened,
      wake,
      forget: () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(runId) === waiting) this.#waiting.delete(runId);
      },
    };
  }
}
