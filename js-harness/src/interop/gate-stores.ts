// The stores that the gate runs on.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openMemoryHost, openPostgresHost, openSqliteHost } from "../host.js";
import { freshDatabase } from "../testing/postgres-server.js";

import type { GateStore } from "./gate.js";

/** A store that is there for one run of the gate. */
export type WithGateStore = <T>(use: (store: GateStore) => Promise<T>) => Promise<T>;

export const withMemory: WithGateStore = (use) =>
  use({ name: "memory", open: openMemoryHost, canReopen: false });

export const withSqliteFile: WithGateStore = async (use) => {
  const folder = await mkdtemp(join(tmpdir(), "skein-gate-"));
  const path = join(folder, "agent.db");
  try {
    return await use({
      name: "sqlite",
      open: (settings) => openSqliteHost({ ...settings, path }),
      canReopen: true,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** On a database of its own, on the server at `serverUrl`. */
export function withPostgres(serverUrl: string): WithGateStore {
  return async (use) => {
    const database = await freshDatabase(serverUrl);
    try {
      return await use({
        name: "postgres",
        open: (settings) => openPostgresHost({ ...settings, url: database.url }),
        canReopen: true,
      });
    } finally {
      await database.drop();
    }
  };
}
