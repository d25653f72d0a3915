import type { ResultEntry, RunResult } from "../wasm/shapes.js";
import {
  readArgument,
  readMembers,
  requireFunction,
  requireList,
  requireOptionalFunction,
  requireThat,
} from "../wasm/argument.js";
import { callPrimitive, type BoundDriver } from "../drivers/bound-driver.js";
import { isEntry, requireEntries, requireTexts } from "../drivers/answers.js";
import { SkeinResultsError } from "../wasm/errors.js";
import { withoutMark } from "../tasks/mark.js";
import { ask } from "../wasm/instance.js";

/** The result entries of a snapshot, beside its other lists: `[run id, result]`. */
export type SnapshotResults = [runId: string, result: RunResult][];

/** A snapshot as far as results are concerned; whatever a file holds may be given. */
export interface ResultSnapshot {
  /** The version of the snapshot; none is version 1. */
  version?: unknown;
  /** Absent, null and empty mean that there are no results. */
  results?: unknown;
}

/**
 * The entries of a snapshot that an import attaches, once the runs are there: the first well-formed
 * one of each run that is known. Pass them to {@link ResultMethods.attachResults}.
 *
 * @param knows whether a run exists or is imported; without it the store's own condition leaves the
 * entries of runs that are not there
 * @throws `invalid_snapshot`, naming the entry, before anything is written; `invalid_argument`
 */
export function mergeResults(
  snapshot: ResultSnapshot,
  knows?: (runId: string) => boolean,
): ResultEntry[] {
  requireOptionalFunction("knows", knows);
  const { version, results } = membersOf(snapshot);
  return ask((rules) => rules.mergeResults(version, results, knows));
}

/** A file may hold anything that is JSON: what is no object is no snapshot. */
function membersOf(snapshot: unknown): ResultSnapshot {
  let cause: unknown;
  try {
    if (typeof snapshot === "object" && snapshot !== null) {
      const { version, results } = snapshot as ResultSnapshot;
      return { version, results };
    }
  } catch (thrown) {
    cause = thrown;
  }
  throw new SkeinResultsError(
    "invalid_snapshot",
    "The snapshot is no object, and nothing was imported. Pass what the export wrote.",
    cause === undefined ? {} : { cause },
  );
}

/** A run as an import brings it. */
export interface ImportedRun {
  runId: string;
  threadId: string;
  kwargs: object;
}

/**
 * The kwargs of an imported run as they may be stored: without its mark, unless the mark names a task
 * on the run's own thread.
 *
 * @param runOf a run that the import brings or that is there already; the one that is there counts
 * @throws `invalid_argument`
 */
export function importedKwargs<K extends object>(
  run: ImportedRun & { kwargs: K },
  runOf: (runId: string) => ImportedRun | null | undefined,
): K {
  requireFunction("runOf", runOf);
  const { runId: id, threadId, kwargs } = readMembers("run", run, "runId", "threadId", "kwargs");
  const rootOf = (runId: string) => {
    const root = runOf(runId);
    return root ? { thread: root.threadId, kwargs: root.kwargs } : null;
  };
  const stands = ask((rules) => rules.importedMarkStands(id, threadId, kwargs, rootOf));
  return stands ? kwargs : withoutMark(kwargs);
}

/** How many runs an export reads at a time: the texts of results may be large. */
const EXPORT_BATCH = 500;

/** Reads the entries of these runs. See {@link ResultMethods.exportResults}. */
export async function exportEntries(
  driver: BoundDriver,
  runIds: readonly string[],
): Promise<SnapshotResults> {
  requireThat("runIds", "a list of run ids", () => Array.isArray(runIds));
  const ids = readArgument("runIds", () => [...runIds]);
  const entries: SnapshotResults = [];
  for (let start = 0; start < ids.length; start += EXPORT_BATCH) {
    const batch = ids.slice(start, start + EXPORT_BATCH);
    for (const [runId, texts] of await readEntries(driver, batch)) {
      entries.push([runId, ask((rules) => rules.resultOf(texts))]);
    }
  }
  return entries;
}

async function readEntries(
  { read, readMany }: BoundDriver,
  runIds: readonly string[],
): Promise<readonly ResultEntry[]> {
  if (readMany) return requireEntries(await callPrimitive("readMany", () => readMany(runIds)));
  const entries: ResultEntry[] = [];
  for (const runId of runIds) {
    const texts = requireTexts(await callPrimitive("read", () => read(runId)));
    if (texts) entries.push([runId, texts]);
  }
  return entries;
}

/** Attaches merged entries. See {@link ResultMethods.attachResults}. */
export async function attachEntries(
  { record, attachMany }: BoundDriver,
  entries: readonly ResultEntry[],
  transaction: unknown,
): Promise<void> {
  requireList("entries", entries, "[run id, texts]", isEntry);
  if (entries.length === 0) return;
  if (attachMany) {
    await callPrimitive("attachMany", () => attachMany(entries, transaction));
    return;
  }
  for (const [runId, texts] of entries) {
    await callPrimitive("record", () => record(runId, texts));
  }
}
