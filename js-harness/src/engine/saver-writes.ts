// A graph that is told to stop lets go of its run at once, and may still be writing a checkpoint. What
// it writes after its thread has been claimed by somebody else, or deleted, would be nobody's.

import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** The checkpoints that graphs are writing, by thread. */
export class SaverWrites {
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  /** The saver as graphs are given it. */
  watched(saver: BaseCheckpointSaver): BaseCheckpointSaver {
    const watch = <Given extends [config: Config, ...unknown[]]>(
      write: (...given: Given) => Promise<unknown>,
    ) => {
      return (...given: Given) => this.#note(given[0].configurable?.["thread_id"], write(...given));
    };
    const writes: Partial<Record<PropertyKey, unknown>> = {
      put: watch(saver.put.bind(saver)),
      putWrites: watch(saver.putWrites.bind(saver)),
    };
    return new Proxy(saver, {
      get(target, name) {
        if (name in writes) return writes[name];
        const own: unknown = Reflect.get(target, name, target);
        return typeof own === "function" ? (own.bind(target) as unknown) : own;
      },
    });
  }

  /** Waits until nothing more is being written. What fails is the graph's affair. */
  async ended(threadId: string): Promise<void> {
    for (;;) {
      const underWay = this.#underWay.get(threadId);
      if (!underWay) return;
      // One write may have been waiting for another.
      await Promise.allSettled(underWay);
    }
  }

  #note<T>(threadId: unknown, write: Promise<T>): Promise<T> {
    if (typeof threadId !== "string") return write;
    const underWay = this.#underWay.get(threadId) ?? new Set();
    this.#underWay.set(threadId, underWay);
    underWay.add(write);
    const forget = (): void => {
      underWay.delete(write);
      if (underWay.size === 0) this.#underWay.delete(threadId);
    };
    write.then(forget, forget);
    return write;
  }
}

interface Config {
  configurable?: Record<string, unknown>;
}
