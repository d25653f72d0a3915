/** Mutual exclusion by key, in arrival order, within this process. Not re-entrant. */
export class ThreadLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs the task when every earlier task under the key has ended, however it ended. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(task);
    const tail = result.then(ignore, ignore);
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      // The last in line takes the entry away, or the map would grow with every thread ever used.
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}

const ignore = (): void => undefined;
