// A host: a store, a saver and graphs, put together into a server. Reopened on the same file or
// database it finds what was there, and executes again what a process left in flight.

import { setTimeout as wait } from "node:timers/promises";

import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";
import type { Express } from "express";
import type { Pool } from "pg";

import type { Authenticate, Caller } from "./auth/caller.js";
import { scopedServices } from "./auth/scoped-services.js";
import { scopedStore } from "./auth/scoped-store.js";
import { createEngine, type Engine, type Log } from "./engine/engine.js";
import type { Graph } from "./engine/graph.js";
import { recoverRuns } from "./engine/recovery.js";
import { executeQueuedRun } from "./engine/run-execution.js";
import { RunQueue } from "./engine/run-queue.js";
import { createRunService } from "./engine/run-service.js";
import { stopRun } from "./engine/stop-run.js";
import { graphs as allGraphs } from "./graphs/index.js";
import { createApp } from "./http/app.js";
import { listen, type Listening } from "./http/listen.js";
import type { HostServices } from "./http/services.js";
import { SkeinHttpError, type SkeinStore, type ThreadExecutionGate } from "./stores/contract.js";
import { openMemoryStore } from "./stores/memory.js";
import { openPostgresStore, type PostgresStore } from "./stores/postgres.js";
import { openPostgresThreadGate } from "./stores/postgres-thread-gate.js";
import { takeClient } from "./stores/postgres/connection.js";
import { openSqliteStore } from "./stores/sqlite.js";
import { createThreadService } from "./threads/thread-service.js";
import { ThreadTtlSweeper } from "./threads/ttl-sweeper.js";

/** Adds routes to a server; `url` is where it is served. */
export type Mount = (app: Express, host: Host, url: string) => void;

/** How a host works, whatever it keeps its data in. */
export interface HostSettings {
  /** By id, which is also the id of an assistant. @defaultValue the graphs of this harness */
  graphs?: Readonly<Record<string, Graph>>;
  mount?: Mount;
  /** Recognises who calls over HTTP and A2A. Without it everybody may do everything. */
  authenticate?: Authenticate;
  /** How often threads past their time are looked for. @defaultValue an hour */
  ttlSweepMs?: number;
  /** How many threads execute at a time. @defaultValue 10 */
  concurrency?: number;
  /** Time limit of a run. */
  runTimeoutMs?: number;
  /** How long `close` waits for runs before it stops them. @defaultValue 5 seconds */
  shutdownGraceMs?: number;
  /** @defaultValue the console's error stream */
  log?: Log;
  /** The store as the host is to see it: for a store that offers less. @defaultValue as it is */
  storeSeen?: (store: SkeinStore) => SkeinStore;
}

export interface HostOptions extends HostSettings {
  store: SkeinStore;
  saver: BaseCheckpointSaver;
  /** Lets one host at a time execute a thread, where several share a store. */
  gate?: ThreadExecutionGate;
  /** Releases what store, saver and gate hold; called last. */
  onClose?: () => Promise<void>;
}

export interface Host {
  readonly store: SkeinStore;
  readonly saver: BaseCheckpointSaver;
  readonly authenticate?: Authenticate;
  /** What the server does, for a caller or, without one, for the server itself. */
  services(caller?: Caller): HostServices;
  /** The store as a caller may use it. */
  storeFor(caller: Caller): SkeinStore;
  /** Deletes the threads whose time is up, and answers how many those were. */
  sweepThreads(now?: Date): Promise<number>;
  /** Serves over HTTP, on a free port unless one is given. */
  listen(port?: number): Promise<Listening>;
  /** Ends the servers and the runs, and releases the data. Calling it again changes nothing. */
  close(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 10;
const DEFAULT_SHUTDOWN_GRACE_MS = 5_000;
const DEFAULT_TTL_SWEEP_MS = 3_600_000;
/** How long the last answers may take when all runs have ended. */
const DRAIN_MS = 1_000;

/** Opens a host over a store and a saver that are open. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { saver, concurrency = DEFAULT_CONCURRENCY } = options;
  const store = options.storeSeen?.(options.store) ?? options.store;
  const log = options.log ?? ((message, error) => console.error(message, error ?? ""));
  const engine = createEngine({ ...options, store, graphs: options.graphs ?? allGraphs, log });
  const queue = new RunQueue({
    concurrency,
    execute: (run, admitted) => executeQueuedRun(engine, run, admitted),
    onFailure: (runId, error) => log(`Run ${runId} did not end: its end was not written.`, error),
  });
  const servicesOver = (over: Engine): HostServices => ({
    runs: createRunService(over, queue),
    threads: createThreadService(over, (runId) => stopRun(over, queue, runId, "cancel")),
  });
  const services = servicesOver(engine);
  // Everything but the store is shared: the locks above all.
  const servicesFor = (caller: Caller): HostServices =>
    scopedServices(servicesOver({ ...engine, store: scopedStore(store, caller) }), caller);
  const sweeper = new ThreadTtlSweeper({
    threads: store.threads,
    deleteThread: (threadId) => services.threads.delete(threadId),
    log,
    intervalMs: options.ttlSweepMs ?? DEFAULT_TTL_SWEEP_MS,
  });
  await registerAssistants(engine);
  await recoverRuns(engine, queue);
  engine.deliveries.start();
  sweeper.start();

  const servers: Listening[] = [];
  let closed: Promise<void> | undefined;
  const host: Host = {
    store,
    saver,
    ...(options.authenticate ? { authenticate: options.authenticate } : {}),
    services: (caller) => (caller ? servicesFor(caller) : services),
    storeFor: (caller) => scopedStore(store, caller),
    sweepThreads: (now) => sweeper.sweep(now),
    async listen(port = 0) {
      const { mount, authenticate } = options;
      const server = await listen(port, (url) =>
        createApp({
          assistants: store.assistants,
          services,
          ...(authenticate ? { callers: { authenticate, servicesFor } } : {}),
          log,
          ...(mount ? { mount: (app: Express) => mount(app, host, url) } : {}),
        }),
      );
      servers.push(server);
      return server;
    },
    close: () => (closed ??= sweeper.stop().then(() => closeHost(engine, queue, servers, options))),
  };
  return host;
}

/** Every graph is an assistant under its own name. Another host may have said so already. */
async function registerAssistants({ store, graphs }: Engine): Promise<void> {
  for (const graphId of graphs.ids) {
    if (await store.assistants.get(graphId)) continue;
    try {
      await store.assistants.create({ graph_id: graphId, assistant_id: graphId });
    } catch (error) {
      if (!(error instanceof SkeinHttpError && error.status === 409)) throw error;
    }
  }
}

/**
 * New requests end first, then the runs, for which requests may be waiting, and then those requests.
 * A run that waits in the queue stays `pending` in the store.
 */
async function closeHost(
  engine: Engine,
  queue: RunQueue,
  servers: readonly Listening[],
  { shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS, onClose }: HostOptions,
): Promise<void> {
  const served = Promise.all(servers.map((server) => server.close()));
  const stopAll = (): void => {
    for (const runId of queue.executing) engine.controls.abort(runId, "cancel");
  };
  const grace = setTimeout(stopAll, shutdownGraceMs);
  await queue.close();
  clearTimeout(grace);
  engine.endings.close();
  engine.bus.closeAll();
  await engine.deliveries.stop();
  // Whoever does not read its answer by then is not waited for.
  await Promise.race([served, wait(DRAIN_MS, undefined, { ref: false })]);
  for (const server of servers) server.drop();
  await served;
  await onClose?.();
}

/** Opens a host that keeps everything in this process. */
export async function openMemoryHost(settings: HostSettings = {}): Promise<Host> {
  const { store, close } = openMemoryStore();
  return openHost({ ...settings, store, saver: new MemorySaver(), onClose: close });
}

/** Opens a host on an SQLite file. One host at a time executes runs on a file. */
export async function openSqliteHost({
  path,
  ...settings
}: HostSettings & { path: string }): Promise<Host> {
  const { store, database, close } = await openSqliteStore({ path });
  return closingOnFailure(close, () =>
    openHost({ ...settings, store, saver: new ReadySqliteSaver(database), onClose: close }),
  );
}

/** Creates its tables at once: `deleteThread` would fail on a file in which nothing has run. */
class ReadySqliteSaver extends SqliteSaver {
  constructor(database: Database) {
    super(database);
    this.setup();
  }
}

/** Claims that are no runs: a prune, a deletion, a cancellation that waits. */
const CLAIMS_BESIDE_RUNS = 5;

/** Where a host on Postgres finds its database. */
export interface PostgresPlace {
  /** Leads to the server itself. */
  url: string;
  /**
   * Leads to the same database through a pooler in transaction mode, for everything but what belongs to
   * a session: the migrations, the set-up of the saver and the claims of threads.
   */
  poolerUrl?: string;
}

/** Opens a host on a Postgres database, which several hosts may share. */
export async function openPostgresHost({
  url,
  poolerUrl,
  ...settings
}: HostSettings & PostgresPlace): Promise<Host> {
  const direct = await openPostgresStore({ url });
  const max = (settings.concurrency ?? DEFAULT_CONCURRENCY) + CLAIMS_BESIDE_RUNS;
  const { gate, close: closeGate } = openPostgresThreadGate({ url, max });
  const onClose = async (): Promise<void> => {
    await closeGate();
    await direct.close();
  };
  return closingOnFailure(onClose, async () => {
    await setUpSaver(direct.pool);
    if (poolerUrl === undefined) return openHostOn(direct, onClose);
    const pooled = await openPostgresStore({
      url: poolerUrl,
      migrate: false,
      prepare: false,
    });
    return openHostOn(pooled, async () => {
      await pooled.close();
      await onClose();
    });
  });

  function openHostOn({ store, pool }: PostgresStore, close: () => Promise<void>): Promise<Host> {
    const saver = new PostgresSaver(pool);
    return openHost({ ...settings, store, saver, gate, onClose: close });
  }
}

/** Any constant does, as long as every host on a database uses the same. */
const SAVER_SETUP_LOCK = "7238110362";

/**
 * The saver's migrations do not expect another process in the middle of them. They run in the session that
 * holds the lock: a statement that a killed process has sent is still executed, and only its own session
 * keeps the next process waiting for it.
 */
async function setUpSaver(pool: Pool): Promise<void> {
  const { client, giveBack } = await takeClient(pool);
  const session = { query: client.query.bind(client), release: () => undefined };
  try {
    await client.query("SELECT pg_advisory_lock($1)", [SAVER_SETUP_LOCK]);
    await new PostgresSaver({ connect: () => Promise.resolve(session) } as unknown as Pool).setup();
  } finally {
    // The end of the session frees the lock, also when the connection has failed.
    giveBack("destroy");
  }
}

async function closingOnFailure<T>(close: () => Promise<void>, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }
}
