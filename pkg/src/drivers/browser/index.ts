/**
 * Runs and their results in the browser's own storage.
 *
 * @packageDocumentation
 */

import type { ResultTexts, RunStatus } from "../../wasm/shapes.js";
import { readArgument, requireText, requireThat } from "../../wasm/argument.js";
import type { ResultDriver } from "../driver.js";
import { errorText } from "../../results/run-error.js";
import { TabLocks } from "./tab-locks.js";
import type { BrowserEnding, StorageKind } from "../../wasm/glue.js";
import { ask, init } from "../../wasm/instance.js";

export { init };

/** Where the browser keeps the runs. */
export interface BrowserStoreOptions {
  /** `local` outlives the browser, `session` the reload of its tab. Default `local`. */
  storage?: StorageKind;
  /** Sets the runs of one store apart from those of another. Default `runs`. */
  prefix?: string;
}

/** A run as a browser host keeps it. */
export interface BrowserRun {
  run_id: string;
  thread_id: string;
  status: RunStatus;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  error?: unknown;
}

/** What a new run is made of. */
export interface NewBrowserRun {
  runId: string;
  threadId: string;
  /** Default `pending`. */
  status?: RunStatus;
  /** Kept beside the row and never shown with it: the server's mark stands here. */
  kwargs?: object;
}

/** A host's runs in the browser's storage, and the driver of their results. */
export interface BrowserStore {
  /** For `resultMethods`. */
  readonly driver: ResultDriver & Required<Pick<ResultDriver, "settle" | "cancel" | "start">>;
  /** Creates a run; an id that exists is overwritten, and inherits no result. */
  create(run: NewBrowserRun): Promise<BrowserRun>;
  /** The run, or null. Never its result. */
  get(runId: string): Promise<BrowserRun | null>;
  /** The kwargs stored with the run, or null. */
  getKwargs(runId: string): Promise<object | null>;
  /** The host's own, unconditional status write; null for an unknown run. */
  setStatus(runId: string, status: RunStatus, error?: unknown): Promise<BrowserRun | null>;
  /** The ids of the runs, in no order; also of entries that cannot be read. */
  list(): Promise<string[]>;
  /** Deletes the run and its result in one step; an entry that cannot be read, too. */
  delete(runId: string): Promise<void>;
  /** Deletes the runs of a thread, one by one. */
  deleteThread(threadId: string): Promise<void>;
}

/**
 * Opens a store of runs in `localStorage` or `sessionStorage`.
 *
 * A run is one entry, so every step is one write of one key. Two tabs are kept apart by a Web Lock for
 * each run; where there are none (a page that was not served over HTTPS or from this machine) the store
 * is refused, since the first of two writes could be lost.
 *
 * A full storage fails the write with `storage_full` and leaves everything as it was. Keys of others
 * are left alone, and an entry of its own that cannot be read fails with `corrupt_result` for its run
 * alone; nothing is deleted without being asked.
 *
 * @throws `not_initialized` before `init`, `storage_unavailable`, `invalid_argument`
 *
 * @example
 * ```ts
 * await init();
 * const store = browserStore({ storage: "local" });
 * const runs = { ...store, ...resultMethods(store.driver) };
 * ```
 */
export function browserStore(options: BrowserStoreOptions = {}): BrowserStore {
  const { storage, prefix } = placeOf(options);
  ask((rules) => rules.browserCheck(storage));
  const locks = new TabLocks();
  /** One step on one run, while no other tab takes one; `work` is given the stamp of its write. */
  const step = async <T>(runId: string, work: (stamp: string) => T): Promise<T> => {
    requireText("runId", runId);
    const name = `skein-results:${storage}:${prefix.length}:${prefix}:${runId}`;
    const stamp = crypto.randomUUID();
    return locks.step(
      name,
      () => seenStamp(runId),
      () => work(stamp),
    );
  };
  /** An entry that cannot be read was written by nobody. */
  const seenStamp = (runId: string) => {
    try {
      return ask((rules) => rules.browserStamp(storage, prefix, runId));
    } catch {
      return undefined;
    }
  };
  /** A read needs no lock: it is one read of one key. */
  const reading = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);
  const now = () => new Date().toISOString();

  const settle = (runId: string, ending: Omit<BrowserEnding, "stamp">) =>
    step(runId, (stamp) =>
      ask((rules) => rules.browserSettle(storage, prefix, runId, { ...ending, stamp })),
    );
  const row = (runId: string) => {
    requireText("runId", runId);
    return ask((rules) => rules.browserRow(storage, prefix, runId));
  };
  const read = (runId: string) => {
    requireText("runId", runId);
    return ask((rules) => rules.browserRead(storage, prefix, runId));
  };
  const get = (runId: string): BrowserRun | null => {
    const found = row(runId);
    if (!found) return null;
    return {
      run_id: runId,
      thread_id: found.thread,
      status: found.status,
      updated_at: found.updatedAt,
      ...(found.error === null ? {} : { error: JSON.parse(found.error) as unknown }),
    };
  };
  const list = () => ask((rules) => rules.browserRuns(storage, prefix));
  const remove = (runId: string) =>
    step(runId, () => {
      ask((rules) => rules.browserDelete(storage, prefix, runId));
    });

  return {
    driver: {
      record: (runId: string, texts: ResultTexts) =>
        step(runId, (stamp) => {
          ask((rules) => rules.browserRecord(storage, prefix, runId, texts, stamp));
        }),
      read,
      settle: (runId, { status, error, at, result }) =>
        settle(runId, { status, error: errorText(error), at, result }),
      cancel: (runId, { at }) =>
        settle(runId, { status: "cancelled", error: null, at, result: null }),
      start: (runId, { at }) =>
        step(runId, (stamp) => {
          const found = row(runId);
          if (!found) return null;
          if (!ask((rules) => rules.startsRun(found.status))) {
            return { status: found.status, won: false };
          }
          const since = found.status === "running" ? found.updatedAt : at;
          const started = {
            status: "running" as const,
            error: null,
            at: since,
            result: null,
            stamp,
          };
          ask((rules) => rules.browserSetStatus(storage, prefix, runId, started));
          return { status: "running" as const, won: true };
        }),
    },
    create: async (run) => {
      const { runId, threadId, status, row } = newRowOf(run);
      return step(runId, (stamp) => {
        const created = { status, error: null, updatedAt: now(), thread: threadId };
        ask((rules) => rules.browserCreate(storage, prefix, runId, { ...created, row, stamp }));
        return { run_id: runId, thread_id: threadId, status, updated_at: created.updatedAt };
      });
    },
    get: (runId) => reading(() => get(runId)),
    getKwargs: (runId) =>
      reading(() => {
        const found = row(runId);
        return found && (JSON.parse(found.row) as object);
      }),
    setStatus: (runId, status, error) =>
      step(runId, (stamp) => {
        const ending = { status, error: errorText(error), at: now(), result: null, stamp };
        ask((rules) => rules.browserSetStatus(storage, prefix, runId, ending));
        return get(runId);
      }),
    list: () => reading(list),
    delete: remove,
    deleteThread: async (threadId) => {
      for (const runId of list()) {
        if (isOnThread(row, runId, threadId)) await remove(runId);
      }
    },
  };
}

/**
 * Where a store keeps its runs. Half a surrogate pair would become another text on its way to the storage,
 * and the runs of two stores one.
 */
function placeOf(options: BrowserStoreOptions): Required<BrowserStoreOptions> {
  const { storage, prefix } = readArgument("options", () => {
    const { storage = "local", prefix = "runs" } = options;
    return { storage, prefix };
  });
  requireText("storage", storage);
  requireText("prefix", prefix);
  requireThat("prefix", "a whole text", () => !/\p{Surrogate}/u.test(prefix));
  return { storage, prefix };
}

/** A new run as it is kept. */
function newRowOf(run: NewBrowserRun) {
  return readArgument("run", () => {
    const { runId, threadId, status = "pending", kwargs = {} } = run;
    return { runId, threadId, status, row: JSON.stringify(kwargs) };
  });
}

/** An entry that cannot be read is on no thread, and hides no other. */
function isOnThread(
  row: (runId: string) => { thread: string } | null,
  runId: string,
  threadId: string,
): boolean {
  try {
    return row(runId)?.thread === threadId;
  } catch {
    return false;
  }
}
