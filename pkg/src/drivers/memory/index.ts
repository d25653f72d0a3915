import type { ResultEntry, ResultTexts, RunStatus, StatusOutcome } from "../../wasm/shapes.js";
import {
  readArgument,
  requireFunction,
  requireMethods,
  requireOptionalFunction,
} from "../../wasm/argument.js";
import type { ResultDriver } from "../driver.js";
import { isFollowed, lineageEndingIn, markReader, memoryTaskPage } from "./tasks.js";
import { requireCreatedAtOnce } from "../created-at-once.js";
import { errorValue } from "../../results/run-error.js";
import { pauseOfTexts } from "../../tasks/view.js";
import { ask } from "../../wasm/instance.js";

/** What the memory driver needs to know of a run row; all but the status is for tasks only. */
export interface MemoryRun {
  status: RunStatus;
  thread_id?: string;
  updated_at?: string;
  metadata?: unknown;
  error?: unknown;
}

/** Where the host keeps its runs. */
export interface MemoryDriverOptions<Row extends MemoryRun> {
  /** The host's own map of runs, by run id. A settle or a cancel replaces the row in it. */
  runs: Map<string, Row>;
  /** Records the host's outbox entry; called for every settle that has one, won or lost. */
  deliver?: (runId: string, delivery: unknown, status: RunStatus) => void;
  /** The kwargs of a run. Without them no run is a task. */
  kwargs?: (runId: string) => unknown;
}

/** The memory driver: every primitive, and the erasure that a map cannot cascade by itself. */
export interface MemoryResultDriver extends Required<ResultDriver> {
  /**
   * Forgets a run's result. Call it wherever a run row is deleted, and where a run is created: a row
   * that is overwritten under an id that exists must not inherit a result.
   */
  erase(runId: string): void;
  /** Forgets every result: for a hydrate, which replaces all rows. */
  clear(): void;
}

/**
 * Keeps results in memory, beside the host's own map of runs.
 *
 * No primitive awaits anything between its check and its write, so each is atomic.
 *
 * @throws `invalid_argument`
 *
 * @example
 * ```ts
 * const runs = new Map<string, Run>();
 * const driver = memoryDriver({ runs });
 * const methods = resultMethods(driver);
 * // in create and delete: driver.erase(runId)
 * ```
 */
export function memoryDriver<Row extends MemoryRun>(
  options: MemoryDriverOptions<Row>,
): MemoryResultDriver {
  const { runs, deliver, kwargs } = ownOptions(options);
  const results = new Map<string, ResultTexts>();

  const record = (runId: string, texts: ResultTexts) => {
    const slot = !runs.has(runId) ? "no-run" : results.has(runId) ? "written" : "empty";
    if (ask((rules) => rules.storesResult(slot))) results.set(runId, { ...texts });
  };

  const read = (runId: string): ResultTexts | null => {
    const texts = runs.has(runId) ? results.get(runId) : undefined;
    return texts ? { ...texts } : null;
  };

  /** What a conditional end comes to, before anything is written. */
  const decide = (runId: string, status: RunStatus): StatusOutcome | null => {
    const row = runs.get(runId);
    if (!row) return null;
    const won = ask((rules) => rules.endsRun(row.status, status));
    return { status: won ? status : row.status, won };
  };

  /** The time of a run that is running already stays: it has another only with another status. */
  const start = (runId: string, at: string): StatusOutcome | null => {
    const row = runs.get(runId);
    if (!row) return null;
    if (!ask((rules) => rules.startsRun(row.status))) return { status: row.status, won: false };
    write(runId, "running", row.status === "running" ? (row.updated_at ?? at) : at, undefined);
    return { status: "running", won: true };
  };

  /** The row is replaced, never changed, since a reader may hold it. */
  const write = (runId: string, status: RunStatus, at: string, error: unknown) => {
    const row = runs.get(runId);
    if (!row) return;
    const ended: Row & { error?: unknown; updated_at?: string } = {
      ...row,
      status,
      updated_at: at,
    };
    if (error === undefined) delete ended.error;
    else ended.error = error;
    runs.set(runId, ended);
  };

  const tables = { runs, markOf: markReader(kwargs), resultOf: read };

  /** Whether a pause may be given up: it could be resumed, and no run has continued it. */
  const endsPause = (runId: string, row: Row): boolean => {
    const texts = row.status === "interrupted" ? read(runId) : null;
    if (!texts || pauseOfTexts(texts) === "none") return false;
    return lineageEndingIn(tables, runId) !== undefined;
  };

  return {
    record,
    read,
    settle: (runId, { status, error, at, result, delivery }) => {
      const ended = decide(runId, status);
      // What may throw comes first: a settle that fails has written nothing.
      const kept = errorValue(error);
      if (delivery !== undefined) deliver?.(runId, delivery, ended?.status ?? status);
      if (ended?.won) {
        write(runId, status, at, kept);
        if (result) record(runId, result);
      }
      return ended;
    },
    cancel: (runId, { at }) => {
      const ended = decide(runId, "cancelled");
      if (ended?.won) write(runId, "cancelled", at, undefined);
      return ended;
    },
    start: (runId, { at }) => start(runId, at),
    readMany: (runIds) =>
      runIds.flatMap((runId): ResultEntry[] => {
        const texts = read(runId);
        return texts ? [[runId, texts]] : [];
      }),
    attachMany: (entries) => {
      for (const [runId, texts] of entries) record(runId, texts);
    },
    copyMany: (copies, checkpointFor) => {
      // All texts are made before the first is written: one that cannot be made leaves nothing.
      const made = copies.flatMap(({ from, to }): ResultEntry[] => {
        const texts = read(from);
        if (!texts) return [];
        const checkpoint = texts.checkpoint === null ? null : checkpointFor(texts.checkpoint);
        return [[to, { ...texts, checkpoint }]];
      });
      for (const [runId, texts] of made) record(runId, texts);
    },
    taskPage: (query) => memoryTaskPage(tables, query),
    cancelPaused: (runId, { at }) => {
      const row = runs.get(runId);
      if (!row) return null;
      const won = endsPause(runId, row);
      if (won) write(runId, "cancelled", at, undefined);
      return { status: won ? "cancelled" : row.status, won };
    },
    passOver: (runId, { at }) => {
      const started = runs.get(runId);
      if (!started) return;
      for (const [id, row] of [...runs]) {
        if (id === runId) return;
        if (row.thread_id !== started.thread_id) continue;
        if (endsPause(id, row)) write(id, "cancelled", at, undefined);
      }
    },
    admitResume: (runId, create) => {
      const row = runs.get(runId);
      if (row?.status !== "interrupted" || isFollowed(runs, runId, () => true)) return false;
      const isInFlight = ({ thread_id, status }: MemoryRun) =>
        thread_id === row.thread_id && (status === "pending" || status === "running");
      if ([...runs.values()].some(isInFlight)) return false;
      const before = new Set(runs.keys());
      try {
        requireCreatedAtOnce(create());
      } catch (error) {
        // What a transaction would undo.
        for (const id of [...runs.keys()].filter((id) => !before.has(id))) {
          runs.delete(id);
          results.delete(id);
        }
        throw error;
      }
      return true;
    },
    erase: (runId) => {
      results.delete(runId);
    },
    clear: () => {
      results.clear();
    },
  };
}

/** The options, each read once. */
function ownOptions<Row extends MemoryRun>(options: MemoryDriverOptions<Row>) {
  const own = readArgument("options", () => {
    const { runs, deliver, kwargs = () => null } = options;
    return { runs, deliver, kwargs };
  });
  requireMethods("runs", own.runs, ["get", "set", "has", "delete", "keys", "values"]);
  requireOptionalFunction("deliver", own.deliver);
  requireFunction("kwargs", own.kwargs);
  return own;
}
