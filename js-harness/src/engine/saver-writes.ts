// A graph that is told to stop lets go of its run at once, and may still be writing a checkpoint, with more
// of them waiting behind it. What it writes after its thread has been claimed by somebody else, or deleted,
// would be nobody's.

import { AsyncLocalStorage } from "node:async_hooks";

import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

import type { StartNotes } from "./start-notes.js";

/** What the graph of one execution writes. */
interface Execution {
  readonly underWay: Set<Promise<unknown>>;
  hasLetGo: boolean;
  /** What is noted before anything is written. */
  notes?: StartNotes;
}

/** The checkpoints that graphs are writing. */
export class SaverWrites {
  readonly #current = new AsyncLocalStorage<Execution>();
  /** By thread, for a graph that has its saver called from somewhere else, such as a queue of its own. */
  readonly #byThread = new Map<unknown, Execution>();

  /**
   * Does the work of an execution, which writes nothing any more when this is over: what its graph is
   * writing then is waited for, and what it would begin with later is not written. A run that ends by
   * itself has written everything before.
   */
  async during<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    const execution: Execution = { underWay: new Set(), hasLetGo: false };
    this.#byThread.set(threadId, execution);
    try {
      return await this.#current.run(execution, work);
    } finally {
      // One write may have been waiting for another. What fails is the graph's affair.
      while (execution.underWay.size > 0) await Promise.allSettled(execution.underWay);
      execution.hasLetGo = true;
      this.#byThread.delete(threadId);
    }
  }

  #executionOf({ configurable }: RunnableConfig): Execution | undefined {
    return this.#current.getStore() ?? this.#byThread.get(configurable?.["thread_id"]);
  }

  /**
   * Does a part of an execution whose notes come before whatever it writes. Both are over when this is.
   */
  async after<T>(notes: StartNotes, work: () => Promise<T>): Promise<T> {
    const execution = this.#current.getStore();
    if (execution) execution.notes = notes;
    else await notes.complete();
    try {
      return await work();
    } finally {
      await notes.end();
    }
  }

  /** The saver as graphs are given it. */
  watched(saver: BaseCheckpointSaver): BaseCheckpointSaver {
    const own: Pick<BaseCheckpointSaver, "getTuple" | "put" | "putWrites"> = {
      getTuple: async (config) => {
        // Of before the read: what was read earlier is not where an execution began.
        const notes = this.#executionOf(config)?.notes;
        const tuple = await saver.getTuple(config);
        await notes?.read(config, tuple?.checkpoint.id ?? null);
        return tuple;
      },
      put: (config, checkpoint, ...rest) =>
        this.#write(
          config,
          () => saver.put(config, checkpoint, ...rest),
          // As if it were written: nobody is left to be told anything else.
          { configurable: { ...config.configurable, checkpoint_id: checkpoint.id } },
        ),
      putWrites: (config, ...rest) =>
        this.#write(config, () => saver.putWrites(config, ...rest), undefined),
    };
    return new Proxy(saver, {
      get(target, name) {
        if (name in own) return Reflect.get(own, name) as unknown;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
  }

  #write<T>(config: RunnableConfig, write: () => Promise<T>, unwritten: T): Promise<T> {
    const execution = this.#executionOf(config);
    if (!execution) return write();
    if (execution.hasLetGo) return Promise.resolve(unwritten);
    const { underWay, notes } = execution;
    const written = notes ? notes.complete().then(write) : write();
    underWay.add(written);
    const forget = (): void => void underWay.delete(written);
    written.then(forget, forget);
    return written;
  }
}
