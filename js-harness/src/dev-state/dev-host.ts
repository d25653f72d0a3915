// A development server: everything in memory, and in a file between two starts.

import { join } from "node:path";

import { MemorySaver } from "@langchain/langgraph-checkpoint";

import { openHost, type Host, type HostSettings } from "../host.js";
import type { HydratableStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import {
  devStateFile,
  loadDevState,
  parseDevState,
  readDevStateFile,
  takeDevState,
  writeDevStateFile,
} from "./dev-state.js";
import { LANGGRAPH_FOLDER, readLanggraphFolder } from "./langgraph-folder.js";

export interface DevHostSettings extends HostSettings {
  /** The project, below which `.skein/` and `.langgraph_api/` are. */
  directory: string;
  /** How often the state is saved. @defaultValue 2 seconds */
  autosaveMs?: number;
}

const DEFAULT_AUTOSAVE_MS = 2_000;

/**
 * Opens a development server with the state that its project has: of its own file, or, the first time,
 * of the folder that `langgraph dev` has left. The state is saved from time to time and when the server
 * is closed.
 *
 * @throws for a state that cannot be loaded; the file is left as it is
 */
export async function openDevHost(settings: DevHostSettings): Promise<Host> {
  const { directory, autosaveMs = DEFAULT_AUTOSAVE_MS, ...rest } = settings;
  const { store } = openMemoryStore();
  const saver = new MemorySaver();
  const file = devStateFile(directory);
  const saved = await load(directory, file, store, saver);

  const log = rest.log ?? ((message, error) => console.error(message, error ?? ""));
  const saving = new Autosave(file, saved, async () =>
    JSON.stringify(await takeDevState(store, saver)),
  );
  const host = await openHost({
    ...rest,
    // The rows do outlive the process, so that runs it was in the middle of are executed again.
    store: { ...store, durable: true },
    saver,
    onClose: () => saving.stop(),
  });
  saving.start(autosaveMs, (error) => log(`"${file}" could not be written.`, error));
  return host;
}

/** Answers the text that the state was loaded from, or null. */
async function load(
  directory: string,
  file: string,
  store: HydratableStore,
  saver: MemorySaver,
): Promise<string | null> {
  const text = await readDevStateFile(file);
  if (text !== null) {
    loadDevState(parseDevState(text, file), store, saver);
    return text;
  }
  const imported = await readLanggraphFolder(join(directory, LANGGRAPH_FOLDER));
  if (imported) loadDevState(imported, store, saver);
  return null;
}

/** Writes the state when it has changed, one write at a time. */
class Autosave {
  readonly #file: string;
  readonly #state: () => Promise<string>;
  #saved: string | null;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, saved: string | null, state: () => Promise<string>) {
    this.#file = file;
    this.#saved = saved;
    this.#state = state;
  }

  start(everyMs: number, onFailure: (error: unknown) => void): void {
    this.#timer = setInterval(() => void this.#save().catch(onFailure), everyMs);
    this.#timer.unref();
  }

  /** Saves a last time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#save();
  }

  #save(): Promise<void> {
    const write = async (): Promise<void> => {
      const text = await this.#state();
      if (text === this.#saved) return;
      await writeDevStateFile(this.#file, text);
      this.#saved = text;
    };
    // Also after one that failed.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}
