import { readArgument } from "../wasm/argument.js";
import { ask } from "../wasm/instance.js";
import type { StoredMark } from "../wasm/glue.js";

/**
 * The server's mark on a run: it asks for capture and says which task the run belongs to.
 *
 * It stands in the run's stored kwargs under {@link RUN_MARK_KEY}, is set by the server out of band,
 * and grants no authority: who may read a task is decided by the access to its run.
 */
export interface RunMark {
  /** The task id: the id of the first run of the lineage. */
  root: string;
  /** The run's place in the lineage, 0 for the first. */
  turn: number;
  /** The JSON text of the A2A message that started the run, for the task's history. */
  message: string | null;
  /**
   * The name by which the caller knows the thread, where it is another than the thread's id. A copied
   * thread is known by its own id.
   */
  context?: string;
}

/** The reserved top-level key of a run's kwargs. Never take a value of it from a client. */
export const RUN_MARK_KEY = "$skein_task";

/**
 * A copy of kwargs with the mark set, in place of anything a client put there.
 *
 * @throws `invalid_mark`, `invalid_argument`
 */
export function markRun<K extends object>(kwargs: K, mark: RunMark): K {
  return withStoredMark(
    kwargs,
    ask((rules) => rules.newMark(mark)),
  );
}

/** A copy of kwargs with this mark and no other. */
export function withStoredMark<K extends object>(kwargs: K, mark: StoredMark | null): K {
  if (mark === null) return withoutMark(kwargs);
  return { ...readArgument("kwargs", () => ({ ...kwargs })), [RUN_MARK_KEY]: mark };
}

/** A copy of kwargs without the reserved key: what a client sent can never ask for capture. */
export function withoutMark<K extends object>(kwargs: K): K {
  const copy = readArgument("kwargs", () => ({ ...kwargs }));
  Reflect.deleteProperty(copy, RUN_MARK_KEY);
  return copy;
}

/**
 * The mark of stored kwargs, or null. Only an own data property counts, and only a mark that this
 * version understands: anything else is an ordinary run.
 */
export function readMark(kwargs: unknown): RunMark | null {
  const stored = ask((rules) => rules.readMark(kwargs));
  if (!stored) return null;
  const { root, turn, message, context } = stored;
  return { root, turn, message, ...(context === undefined ? {} : { context }) };
}
