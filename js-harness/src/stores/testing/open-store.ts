// A store by the name of its kind, for programs that run in a process of their own.

import type { RunRepo, SnapshotStore } from "../contract.js";
import { openMemoryStore } from "../memory.js";
import { openPostgresStore } from "../postgres.js";
import { openSqliteStore } from "../sqlite.js";

/** Every store here has what is optional. */
export interface OpenStore {
  store: SnapshotStore & { runs: Required<RunRepo> };
  close(): Promise<void>;
}

const OPENERS: Readonly<
  Record<
    string,
    (place: string) => Promise<{ store: SnapshotStore; close(): Promise<void> | void }>
  >
> = {
  memory: () => Promise.resolve(openMemoryStore()),
  sqlite: (path) => openSqliteStore({ path }),
  postgres: (url) => openPostgresStore({ url }),
};

/**
 * @param kind one of `memory`, `sqlite` and `postgres`
 * @param place the file, or the URL of the database
 */
export async function openStore(kind: string, place: string): Promise<OpenStore> {
  const open = await OPENERS[kind]?.(place);
  if (!open) throw new Error(`There is no store of kind ${kind}.`);
  return {
    store: open.store as OpenStore["store"],
    close: async () => {
      await open.close();
    },
  };
}
