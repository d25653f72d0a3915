// The `.langgraph_api/` folder that `langgraph dev` writes, as a state of this server. Its files are
// superjson: beside the JSON stands what was no JSON. None of that is needed here, since times are kept
// as ISO text and bytes as base64.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { isTerminalRunStatus } from "skein-results";

import {
  RUN_STATUSES,
  SkeinHttpError,
  type RunKwargs,
  type SkeinStoreSnapshot,
} from "../stores/contract.js";

import type { SavedCheckpoints } from "./checkpoints.js";
import type { DevState } from "./dev-state.js";

/** The folder's name below a project. */
export const LANGGRAPH_FOLDER = ".langgraph_api";

const ROWS_FILE = ".langgraphjs_ops.json";
const CHECKPOINTS_FILE = ".langgraphjs_api.checkpointer.json";

type Row = Record<string, unknown>;

/**
 * The state in the folder, or null where there is none. Whether its rows can be imported is found out
 * by whoever loads it.
 *
 * Runs have what they can be started from and no mark: they are tasks of nobody.
 *
 * @throws 400 for a file that cannot be read, naming it
 */
export async function readLanggraphFolder(folder: string): Promise<DevState | null> {
  const rows = await readJsonOf(join(folder, ROWS_FILE));
  const checkpoints = await readJsonOf(join(folder, CHECKPOINTS_FILE));
  if (!rows && !checkpoints) return null;
  return {
    version: 1,
    store: snapshotOf(rows ?? {}),
    checkpoints: (checkpoints ?? {}) as unknown as SavedCheckpoints,
  };
}

/** The rows as they are; the import reads them field by field, as it reads any snapshot. */
function snapshotOf({ assistants, threads, runs }: Row): SkeinStoreSnapshot {
  const given = Object.entries(rowsOf(runs));
  const snapshot = {
    assistants: Object.entries(rowsOf(assistants)),
    threads: Object.entries(rowsOf(threads)).map(([id, row]) => [
      id,
      // The run that made it busy does not go on here.
      { ...row, status: row["status"] === "busy" ? "idle" : row["status"] },
    ]),
    runs: given.map(([id, row]) => [id, { ...row, status: endOf(row["status"]) }]),
    runKwargs: given.map(([id, row]) => [id, kwargsOf(row["kwargs"])]),
  };
  return snapshot as unknown as SkeinStoreSnapshot;
}

/** A run that was in flight will never end, and would hold its thread for ever. */
function endOf(status: unknown): unknown {
  const known = RUN_STATUSES.find((one) => one === status);
  return known && !isTerminalRunStatus(known) ? "error" : status;
}

const KWARGS = [
  "input",
  "command",
  "config",
  "context",
  "stream_mode",
  "interrupt_before",
  "interrupt_after",
  "webhook",
] as const satisfies (keyof RunKwargs)[];

function kwargsOf(given: unknown): RunKwargs {
  const kwargs = isRow(given) ? given : {};
  return Object.fromEntries(
    KWARGS.filter((name) => (kwargs[name] ?? null) !== null).map((name) => [name, kwargs[name]]),
  );
}

function rowsOf(rows: unknown): Record<string, Row> {
  const found = isRow(rows) ? rows : {};
  return found as Record<string, Row>;
}

async function readJsonOf(file: string): Promise<Row | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRow(parsed) && isRow(parsed["json"])) return parsed["json"];
  } catch (cause) {
    throw SkeinHttpError.badRequest(`"${file}" is no JSON.`, { cause });
  }
  throw SkeinHttpError.badRequest(`"${file}" was not written by langgraph dev.`);
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
