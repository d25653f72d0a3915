// What is noted of a run while its graph sets out, and is there before the graph writes anything: that it
// executes, and the checkpoint it began from, which a rollback goes back to. The graph reads that checkpoint
// itself, so it is noted from there.

import { setImmediate } from "node:timers/promises";

import type { RunnableConfig } from "@langchain/core/runnables";

/** The id of a thread's newest checkpoint; null for a thread without one. */
export type Tip = string | null;

export interface StartNotesOptions {
  threadId: string;
  /** What is being written already. */
  underWay: readonly (Promise<unknown> | undefined)[];
  /** Notes the checkpoint that the run began from. */
  noteBase: (readTip: () => Promise<Tip>) => Promise<void>;
  /** For a graph that reads another checkpoint first, or none. */
  readTip: () => Promise<Tip>;
}

/** The notes of one execution. */
export class StartNotes {
  readonly #options: StartNotesOptions;
  #base: Promise<void> | undefined;
  #complete: Promise<void> | undefined;
  #isOver = false;

  constructor(options: StartNotesOptions) {
    this.#options = options;
    // Whoever asks for them is told, but perhaps not before the next turn.
    for (const work of options.underWay) work?.catch(() => undefined);
  }

  /**
   * The graph has read a checkpoint. The first tip of the run's thread is where it began. Resolves when the
   * note is on its way, and not only when the graph has made its preparations.
   */
  async read({ configurable = {} }: RunnableConfig, found: Tip): Promise<void> {
    const { thread_id, checkpoint_ns, checkpoint_id } = configurable;
    if (this.#isOver || thread_id !== this.#options.threadId) return;
    // Empty ones are as good as none to a saver.
    if (checkpoint_ns || checkpoint_id || this.#base) return;
    this.#base = this.#options.noteBase(() => Promise.resolve(found));
    await setImmediate();
  }

  /** All of them, for a graph that is about to write. */
  complete(): Promise<void> {
    this.#base ??= this.#options.noteBase(this.#options.readTip);
    return (this.#complete ??= this.#settled());
  }

  /** The graph is called no more: resolves when nothing is being noted. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.#settled();
  }

  /** Nothing is under way any more when one of them has failed. */
  async #settled(): Promise<void> {
    for (const work of await Promise.allSettled([...this.#options.underWay, this.#base])) {
      if (work.status === "rejected") throw work.reason;
    }
  }
}
