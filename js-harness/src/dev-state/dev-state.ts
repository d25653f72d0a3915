// The state of a development server as one file: the rows of its store, with their results, and the
// checkpoints of its saver. The format is the host's own, so that its files load here as they are.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { MemorySaver } from "@langchain/langgraph-checkpoint";

import {
  SkeinHttpError,
  type HydratableStore,
  type SkeinStoreSnapshot,
} from "../stores/contract.js";

import { readCheckpoints, savedCheckpoints, type SavedCheckpoints } from "./checkpoints.js";

export interface DevState {
  version: number;
  store: SkeinStoreSnapshot;
  checkpoints: SavedCheckpoints;
}

const DEV_STATE_VERSION = 1;

/** Where a project keeps the state of its development server. */
export function devStateFile(directory: string): string {
  return join(directory, ".skein", "dev-state.json");
}

/** The state as it is now, of one moment. */
export async function takeDevState(store: HydratableStore, saver: MemorySaver): Promise<DevState> {
  // Both in this turn of the event loop: no run writes in between.
  const rows = store.snapshot();
  const checkpoints = savedCheckpoints(saver);
  return { version: DEV_STATE_VERSION, store: await rows, checkpoints };
}

/**
 * Replaces what the store and the saver hold.
 *
 * @throws for a state that cannot be read, before anything is changed
 */
export function loadDevState(state: DevState, store: HydratableStore, saver: MemorySaver): void {
  if (state.version !== DEV_STATE_VERSION) {
    throw SkeinHttpError.badRequest(
      `This state is of version ${String(state.version)}, and version ${DEV_STATE_VERSION} is read here.`,
    );
  }
  const { storage, writes } = readCheckpoints(state.checkpoints);
  store.hydrate(state.store);
  saver.storage = storage;
  saver.writes = writes;
}

/** The text of a file that holds a state, or null where there is none. */
export async function readDevStateFile(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** @throws naming the file */
export function parseDevState(text: string, file: string): DevState {
  try {
    const state: unknown = JSON.parse(text);
    if (typeof state === "object" && state !== null && "store" in state) return state as DevState;
  } catch (cause) {
    throw SkeinHttpError.badRequest(`"${file}" is no JSON. It has been left as it is.`, { cause });
  }
  throw SkeinHttpError.badRequest(`"${file}" holds no state. It has been left as it is.`);
}

/** Writes the file in one step: a crash leaves the old one or the new one. */
export async function writeDevStateFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const written = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(written, text);
    await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}
