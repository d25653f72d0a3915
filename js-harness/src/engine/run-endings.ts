// Waiting for the end of a run, wherever it executes.

import { isTerminalRunStatus } from "skein-results";

import type { Run, RunRepo } from "../stores/contract.js";

/** How soon the end of a run that executes in another process is noticed. */
const POLL_MS = 200;

/** What a waiter wants to be told of; `shown` comes when the thread shows how the run has ended. */
type Awaited = "changes" | "end" | "shown";

/** How sure it is that the run has ended. */
type News = "may have ended" | "has ended";

/** The next thing that a waiter is told. */
interface Change {
  readonly happened: Promise<News>;
  readonly wake: (news?: News) => void;
  /** Has nothing told any more. */
  readonly forget: () => void;
}

/** Tells those who wait in this process that a run's row may have become terminal, or may be gone. */
export class RunEndings {
  readonly #waiting = new Map<string, Map<(news?: News) => void, Awaited>>();
  /** Runs that execute here, as far as this process knows; one that has ended is still to be shown. */
  readonly #here = new Map<string, "executes" | "has ended">();
  #closed = false;

  /**
   * Says that the run executes here, where its end will be announced; answers how to say that it does no
   * more, and that its thread shows how it has ended.
   */
  expect(runId: string): () => void {
    this.#here.set(runId, "executes");
    return () => {
      this.#here.delete(runId);
      this.#wake(runId, ["shown"]);
    };
  }

  announce(runId: string, news: News = "may have ended"): void {
    if (news === "may have ended") {
      this.#wake(runId, ["changes", "end", "shown"]);
      return;
    }
    if (this.#here.has(runId)) this.#here.set(runId, news);
    this.#wake(runId, ["changes", "end"], news);
  }

  /** The run executes from now on, which is nothing to those who wait for its end. */
  announceStart(runId: string): void {
    this.#wake(runId, ["changes"]);
  }

  #wake(runId: string, whoAwaits: readonly Awaited[], news?: News): void {
    for (const [wake, awaited] of this.#waiting.get(runId) ?? []) {
      if (whoAwaits.includes(awaited)) wake(news);
    }
  }

  /** Ends every wait: the store is about to close. */
  close(): void {
    this.#closed = true;
    for (const runId of this.#waiting.keys()) this.announce(runId);
  }

  /**
   * The row when it is terminal; null when the run is gone. By then, the thread of a run that has ended here
   * shows how it has.
   *
   * @throws when the host closes or the signal aborts before that
   */
  async wait(runs: RunRepo, runId: string, signal?: AbortSignal): Promise<Run | null> {
    for (;;) {
      // Listening before reading: an end between the two is not missed.
      const change = this.#listen("shown", runId, signal);
      try {
        const run = await runs.get(runId);
        const isShown = this.#here.get(runId) !== "has ended";
        if (!run || (isTerminalRunStatus(run.status) && isShown)) return run;
        await change.happened;
      } finally {
        change.forget();
      }
    }
  }

  /**
   * As {@link wait}, for a caller that has been given the run, and reads what it needs of it afterwards. The
   * thread may show the end a little later.
   */
  async untilEnded(runs: RunRepo, runId: string): Promise<void> {
    let skipsRead = this.#here.get(runId) === "executes";
    for (;;) {
      const change = this.#listen("end", runId);
      try {
        if (!skipsRead) {
          const run = await runs.get(runId);
          if (!run || isTerminalRunStatus(run.status)) return;
        }
        skipsRead = false;
        if ((await change.happened) === "has ended") return;
      } finally {
        change.forget();
      }
    }
  }

  #listen(awaited: Awaited, runId: string, signal?: AbortSignal): Change {
    signal?.throwIfAborted();
    if (this.#closed) throw new Error(`The host closed while run "${runId}" was waited for.`);
    return this.#next(awaited, runId);
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

  #next(awaited: Awaited, runId: string): Change {
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
