// A snapshot as an import may write it. It comes from a file that anybody may have edited, so each row
// is read field by field: what is malformed refuses the whole import, before anything is written, and
// what is unknown is left behind. What its results are worth is the package's to say.

import { importedKwargs, mergeResults, type ImportedRun, type ResultEntry } from "skein-results";

import {
  RUN_STATUSES,
  SkeinHttpError,
  type Assistant,
  type MultitaskStrategy,
  type Run,
  type RunError,
  type RunKwargs,
  type SkeinStoreSnapshot,
  type Thread,
  type ThreadStatus,
} from "./contract.js";
import { now } from "./new-rows.js";
import { jsonCopy, metadataText, requireStorableId, requireStorableText } from "./storable.js";

/** The version of the snapshots that are written here. */
export const SNAPSHOT_VERSION = 1;

/** What a snapshot brings; of two rows under one id the first. */
export interface SnapshotRows {
  assistants: Assistant[];
  threads: Thread[];
  runs: Run[];
  /** By run id. */
  runKwargs: Map<string, RunKwargs>;
  results: ResultEntry[];
}

type Fields = Record<string, unknown>;

/** @throws 400, and `invalid_snapshot` */
export function readSnapshot(snapshot: SkeinStoreSnapshot): SnapshotRows {
  const given: unknown = snapshot;
  if (!isFields(given)) throw refused("it is no object");
  const results = mergeResults(given);
  return {
    assistants: rowsOf(given, "assistants", "assistant_id", assistantOf),
    threads: rowsOf(given, "threads", "thread_id", threadOf),
    runs: rowsOf(given, "runs", "run_id", runOf),
    runKwargs: new Map(entriesOf(given, "runKwargs").map(([id, row]) => [id, jsonCopy(row)])),
    results,
  };
}

/**
 * The runs to insert with their kwargs: those whose thread is there, with the marks that may stand.
 *
 * @param existing a run that is there already
 */
export function importedRuns(
  { runs, runKwargs }: SnapshotRows,
  threadExists: (threadId: string) => boolean,
  existing: (runId: string) => ImportedRun | null,
): { run: Run; kwargs: RunKwargs | null }[] {
  const brought = new Map(
    runs
      .filter((run) => threadExists(run.thread_id) && !existing(run.run_id))
      .map((run) => [run.run_id, run]),
  );
  const imported = (run: Run): ImportedRun & { kwargs: RunKwargs } => ({
    runId: run.run_id,
    threadId: run.thread_id,
    kwargs: runKwargs.get(run.run_id) ?? {},
  });
  const runOf = (runId: string): ImportedRun | null => {
    const run = brought.get(runId);
    return existing(runId) ?? (run ? imported(run) : null);
  };
  return [...brought.values()].map((run) => ({
    run,
    kwargs: runKwargs.has(run.run_id) ? importedKwargs(imported(run), runOf) : null,
  }));
}

function rowsOf<Row>(
  snapshot: Fields,
  list: string,
  idField: string,
  read: (fields: Fields) => Row,
): Row[] {
  const rows = new Map<string, Row>();
  entriesOf(snapshot, list).forEach(([id, fields], place) => {
    if (rows.has(id)) return;
    try {
      if (fields[idField] !== id) throw refused(`its ${idField} is not the id it stands under`);
      rows.set(requireStorableId(id, idField), read(fields));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw SkeinHttpError.badRequest(`${list}[${place}] cannot be imported: ${reason}`, { cause });
    }
  });
  return [...rows.values()];
}

function entriesOf(snapshot: Fields, list: string): [string, Fields][] {
  const entries = snapshot[list] ?? [];
  if (!Array.isArray(entries)) throw refused(`its ${list} are no list`);
  return entries.map((entry: unknown, place) => {
    const [id, row] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof id === "string" && isFields(row)) return [id, row];
    throw refused(`${list}[${place}] is not an id and a row`);
  });
}

function assistantOf(fields: Fields): Assistant {
  const graph_id = requireStorableId(text(fields, "graph_id"), "graph_id");
  const description = fields["description"] ?? undefined;
  return {
    assistant_id: text(fields, "assistant_id"),
    graph_id,
    name: requireStorableText(text(fields, "name", graph_id), "name"),
    ...(description === undefined
      ? {}
      : { description: requireStorableText(text(fields, "description"), "description") }),
    config: object(fields, "config"),
    context: jsonCopy(fields["context"] ?? {}),
    metadata: metadata(fields),
    version: Number.isSafeInteger(fields["version"]) ? Number(fields["version"]) : 1,
    ...times(fields),
  };
}

const THREAD_STATUSES: readonly ThreadStatus[] = ["idle", "busy", "interrupted", "error"];

function threadOf(fields: Fields): Thread {
  const at = times(fields);
  const error = fields["error"];
  return {
    thread_id: text(fields, "thread_id"),
    status: oneOf(fields, "status", THREAD_STATUSES, "idle"),
    metadata: metadata(fields),
    values: jsonCopy(fields["values"] ?? {}) as Thread["values"],
    interrupts: object(fields, "interrupts"),
    ...at,
    state_updated_at: time(fields, "state_updated_at", at.updated_at),
    ...(typeof error === "string" ? { error } : {}),
  };
}

const STRATEGIES: readonly MultitaskStrategy[] = ["reject", "interrupt", "rollback", "enqueue"];

function runOf(fields: Fields): Run {
  const error = fields["error"] ?? undefined;
  return {
    run_id: text(fields, "run_id"),
    thread_id: requireStorableId(text(fields, "thread_id"), "thread_id"),
    assistant_id: requireStorableId(text(fields, "assistant_id"), "assistant_id"),
    status: oneOf(fields, "status", RUN_STATUSES, "pending"),
    metadata: metadata(fields),
    multitask_strategy:
      fields["multitask_strategy"] == null
        ? null
        : oneOf(fields, "multitask_strategy", STRATEGIES, "reject"),
    ...times(fields),
    ...(error === undefined ? {} : { error: jsonCopy(error) as RunError }),
  };
}

function times(fields: Fields): { created_at: string; updated_at: string } {
  const created_at = time(fields, "created_at", now());
  return { created_at, updated_at: time(fields, "updated_at", created_at) };
}

/** What every store knows, and orders as a text: the years 1 to 9999. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

/** Any text of a time, as the stores write it. */
function time(fields: Fields, name: string, absent: string): string {
  const value = new Date(text(fields, name, absent));
  const isKnown = value.getTime() >= FIRST_TIME && value.getTime() <= LAST_TIME;
  if (!isKnown) throw refused(`its ${name} is no time of the years 1 to 9999`);
  return value.toISOString();
}

function text(fields: Fields, name: string, absent?: string): string {
  const value = fields[name] ?? absent;
  if (typeof value !== "string") throw refused(`its ${name} is no text`);
  return value;
}

function oneOf<T extends string>(
  fields: Fields,
  name: string,
  allowed: readonly T[],
  absent: T,
): T {
  const value = fields[name] ?? absent;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw refused(`its ${name} is none that is known`);
  return found;
}

/** The SDK's types of these say more than anybody checks, here or when a client sends them. */
function object(fields: Fields, name: string): Record<string, never> {
  const value = fields[name] ?? {};
  if (!isFields(value)) throw refused(`its ${name} is no object`);
  return jsonCopy(value) as Record<string, never>;
}

function metadata(fields: Fields): Record<string, unknown> {
  return JSON.parse(metadataText(object(fields, "metadata"))) as Record<string, unknown>;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(why: string): SkeinHttpError {
  return SkeinHttpError.badRequest(`This snapshot cannot be imported: ${why}.`);
}
