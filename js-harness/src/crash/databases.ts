// Databases that processes may die on.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { DatabasePlace } from "../invariants/rows.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

/** Where new databases are made. */
export interface Databases {
  make: () => Promise<{ place: DatabasePlace; remove: () => Promise<void> }>;
  close: () => Promise<void>;
}

export async function sqliteFiles(): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), "skein-crashes-"));
  let count = 0;
  return {
    make: () => {
      const at = join(folder, `agent-${(count += 1)}.db`);
      const remove = async (): Promise<void> => {
        for (const end of ["", "-wal", "-shm"]) await rm(`${at}${end}`, { force: true });
      };
      return Promise.resolve({ place: { kind: "sqlite", at }, remove });
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function postgresDatabases(): Promise<Databases> {
  const server = await startPostgres();
  return {
    make: async () => {
      const database = await freshDatabase(server.url);
      const place = { kind: "postgres" as const, at: database.url };
      return { place, remove: () => database.drop() };
    },
    close: () => server.stop(),
  };
}
