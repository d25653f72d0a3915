// Stores that behave in a way that a test needs, around a real one.

import type { RunRepo, SkeinStore, ThreadRepo } from "../../stores/contract.js";

/** The store with some methods of its runs replaced; each is given the store's own. */
export function withRuns(
  store: SkeinStore,
  replace: (runs: RunRepo) => Partial<RunRepo>,
): SkeinStore {
  return { ...store, runs: { ...store.runs, ...replace(store.runs) } };
}

export function withThreads(
  store: SkeinStore,
  replace: (threads: ThreadRepo) => Partial<ThreadRepo>,
): SkeinStore {
  return { ...store, threads: { ...store.threads, ...replace(store.threads) } };
}

/** A store that cannot end a run in one write, as most third-party ones cannot. */
export function inTwoSteps(store: SkeinStore): SkeinStore {
  const { settleRun: _settle, cancelRun: _cancel, startRun: _start, ...runs } = store.runs;
  return { ...store, runs };
}

/** A door in the middle of something: a test sees that it was reached, and decides when it opens. */
export class Gate {
  #reach = (): void => undefined;
  #open = (): void => undefined;
  readonly reached = new Promise<void>((resolve) => (this.#reach = resolve));
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  open(): void {
    this.#open();
  }

  /** Passes only when the gate is open. */
  async pass(): Promise<void> {
    this.#reach();
    await this.#opened;
  }
}
