import { SkeinResultsError } from "../../wasm/errors.js";

/** What a tab sees of the newest write under a name; undefined where nothing is there. */
export type SeenStamp = () => string | undefined;

/**
 * One step at a time under a name, over all tabs of an origin, each of which sees what the step before
 * it wrote.
 *
 * A Web Lock alone is not enough: a browser shows one tab's writes to another only after a while, and a
 * lock can change hands sooner. So a tab that has written announces the write's stamp, by holding a lock
 * of that name for a time, and the next one waits until it sees that write. The locks of an origin are
 * kept in one place, and are never behind.
 */
export class TabLocks {
  readonly #locks: LockManager;

  /** @throws `storage_unavailable` where there are no Web Locks */
  constructor() {
    const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    if (!locks) {
      throw new SkeinResultsError(
        "storage_unavailable",
        "The browser's storage cannot be used: there are no Web Locks, which keep two tabs apart. Serve the page over HTTPS or from localhost.",
      );
    }
    this.#locks = locks;
  }

  /**
   * Takes one step. `seen` tells which write this tab sees, before and after the work.
   *
   * @throws what the work throws, and `storage_unavailable` if another tab's write does not arrive
   */
  async step<T>(name: string, seen: SeenStamp, work: () => T): Promise<T> {
    return await this.#locks.request(name, async () => {
      const turn = await this.#arrival(name, seen);
      const before = seen();
      try {
        return work();
      } finally {
        const after = seen();
        if (after !== before) await this.#announce(`${name}@${turn + 1}@${after ?? ""}`);
      }
    });
  }

  /** Waits until this tab sees the last announced write, and answers its number. */
  async #arrival(name: string, seen: SeenStamp): Promise<number> {
    const deadline = Date.now() + ARRIVAL_MS;
    for (;;) {
      const last = await this.#lastAnnounced(`${name}@`);
      if (!last || (seen() ?? "") === last.stamp) return last?.turn ?? 0;
      if (Date.now() > deadline) {
        throw new SkeinResultsError(
          "storage_unavailable",
          "The browser's storage cannot be used: another tab's write does not arrive in this one. Reload the page.",
        );
      }
      await delay(POLL_MS);
    }
  }

  async #lastAnnounced(prefix: string): Promise<Announced | undefined> {
    const { held = [] } = await this.#locks.query();
    const announced = held.flatMap((lock) => announcedBy(lock.name ?? "", prefix));
    return announced.sort((a, b) => b.turn - a.turn)[0];
  }

  /** Answers when every other tab can see the announcement, which then stays for a while. */
  #announce(name: string): Promise<void> {
    return new Promise((announced) => {
      void this.#locks.request(name, { mode: "shared" }, () => {
        announced();
        return delay(ANNOUNCED_MS);
      });
    });
  }
}

interface Announced {
  turn: number;
  stamp: string;
}

/** Far longer than a write takes to arrive. */
const ANNOUNCED_MS = 5_000;
const ARRIVAL_MS = 10_000;
const POLL_MS = 1;

function announcedBy(lock: string, prefix: string): Announced[] {
  if (!lock.startsWith(prefix)) return [];
  const [, turn, stamp] = /^(\d+)@([^@]*)$/.exec(lock.slice(prefix.length)) ?? [];
  return turn === undefined || stamp === undefined ? [] : [{ turn: Number(turn), stamp }];
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
