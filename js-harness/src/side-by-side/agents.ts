// Two agents on the same graph, the same saver and the same kind of database: this package's adapter over
// the host's runs, and the SDK's own handler over its own task store.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Message } from "@a2a-js/sdk";
import { messageText } from "skein-results/a2a";

import { a2aMount } from "../a2a/mount.js";
import type { Graph } from "../engine/graph.js";
import { openPostgresHost, openSqliteHost, type Host, type HostSettings } from "../host.js";
import { serveSdkAgent } from "../sdk-handler/serve.js";
import {
  openPostgresTasks,
  openSqliteTasks,
  type TaskDatabase,
} from "../sdk-handler/task-databases.js";
import { freshDatabase, startPostgres, type PostgresServer } from "../testing/postgres-server.js";

/** Which graph answers, and what it makes of a message. */
export interface Agent {
  graph: Graph;
  toInput: (message: Message) => unknown;
}

/** Both agents, served. */
export interface BothAgents {
  host: Host;
  tasks: TaskDatabase;
  /** Where this package's adapter is served. */
  ours: string;
  /** Where the SDK's handler is served. */
  theirs: string;
  /** Waits for what is being done. Calling it again changes nothing. */
  close(): Promise<void>;
}

/** Where both keep their tasks: a folder for SQLite files, or a Postgres database. */
export type Location = { folder: string } | { database: string };

/** Opens both at a location; also by another process, or once more. */
export interface Place {
  location: Location;
  openHost(settings: HostSettings): Promise<Host>;
  openTasks(): Promise<TaskDatabase>;
}

/** A place that is there for a while. */
export interface TemporaryPlace extends Place {
  remove(): Promise<void>;
}

/** A kind of database. */
export interface Store {
  name: "sqlite" | "postgres";
  prepare(): Promise<TemporaryPlace>;
}

export function openPlace(location: Location): Place {
  if ("folder" in location) {
    const file = (name: string) => join(location.folder, name);
    return {
      location,
      openHost: (settings) => openSqliteHost({ ...settings, path: file("agent.db") }),
      openTasks: () => openSqliteTasks(file("tasks.db")),
    };
  }
  const url = location.database;
  return {
    location,
    openHost: (settings) => openPostgresHost({ ...settings, url }),
    openTasks: () => openPostgresTasks(url),
  };
}

export const sqlite: Store = {
  name: "sqlite",
  prepare: async () => {
    const folder = await mkdtemp(join(tmpdir(), "skein-side-by-side-"));
    return { ...openPlace({ folder }), remove: () => rm(folder, { recursive: true }) };
  },
};

export function postgresOn(server: PostgresServer): Store {
  return {
    name: "postgres",
    prepare: async () => {
      const database = await freshDatabase(server.url);
      return { ...openPlace({ database: database.url }), remove: () => database.drop() };
    },
  };
}

/** Does the work on each of the databases, one after the other. */
export async function onEachStore<T>(work: (store: Store) => Promise<T>): Promise<T[]> {
  const server = await startPostgres();
  try {
    return [await work(sqlite), await work(postgresOn(server))];
  } finally {
    await server.stop();
  }
}

const GRAPH = "agent";

/** The input of the graphs of this harness. */
export function textInput(message: Message): { value: string } {
  return { value: messageText(message) };
}

/** Serves an agent both ways. */
export async function openBoth(place: Place, { graph, toInput }: Agent): Promise<BothAgents> {
  const mount = a2aMount({ assistantId: GRAPH, toInput });
  const host = await place.openHost({ graphs: { [GRAPH]: graph }, mount, log: () => undefined });
  const tasks = await place.openTasks();
  const served = await host.listen();
  const sdk = await serveSdkAgent({
    name: GRAPH,
    taskStore: tasks.taskStore,
    graph: graph.compile({ checkpointer: host.saver }),
    toInput,
    toAnswer: toInput,
  });
  const close = async (): Promise<void> => {
    sdk.drop();
    await sdk.close();
    await tasks.close();
    await host.close();
  };
  let closed: Promise<void> | undefined;
  return {
    host,
    tasks,
    ours: served.url,
    theirs: sdk.url,
    close: () => (closed ??= close()),
  };
}
