// Every function that the package exports, and every method of what they answer, with arguments that work.

import { Role, type Message } from "@a2a-js/sdk";
import Database from "better-sqlite3";
import * as root from "skein-results";
import * as a2a from "skein-results/a2a";
import * as browser from "skein-results/browser";
import * as conformance from "skein-results/conformance";
import * as memory from "skein-results/memory";
import * as postgres from "skein-results/postgres";
import * as sqlite from "skein-results/sqlite";

import { hostTables, USUAL_NAMES } from "../../conformance/testing/run-tables.js";

import type { AnyCall } from "./junk.js";

/** A function, and what it is called with; both are made anew each time. */
export interface EveryCall {
  name: string;
  open: () => AnyCall;
  given: () => unknown[];
}

const MODULES: Readonly<Record<string, object>> = {
  root,
  memory,
  sqlite,
  postgres,
  browser,
  a2a,
  conformance,
};

const MARK: root.RunMark = { root: "r", turn: 0, message: '{"messageId":"m"}', context: "c" };
const marked = () => root.markRun({ input: { a: 1 } }, MARK);
const RESULT = (): root.RunResult => ({
  values: { answer: [42] },
  interrupts: { task: [{ id: "i", value: "?" }] },
  reply: "said",
  checkpoint: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "c", checkpoint_map: {} },
});
const TEXTS = () => ({ values: "1", interrupts: null, reply: null, checkpoint: null });
const facts = () => ({
  run: { thread_id: "t", status: "interrupted" },
  movedOn: false,
  checkpoint: RESULT().checkpoint,
  interrupts: RESULT().interrupts,
  found: "c",
  tip: "c",
  pending: [{ id: "i" }],
});
const run = () => ({
  run_id: "r",
  thread_id: "t",
  status: "error",
  updated_at: "2026-01-01T00:00:00.000Z",
  error: { message: "why" },
});
const message = (): Message => ({
  messageId: "m",
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [
    { content: { $case: "text", value: "hello" }, metadata: {}, filename: "", mediaType: "" },
    { content: { $case: "data", value: { a: 1 } }, metadata: {}, filename: "", mediaType: "" },
  ],
  metadata: {},
  extensions: [],
  referenceTaskIds: [],
});

/** A pool that answers each statement with no rows. */
const pool = (): postgres.PostgresPool => {
  const query = () => Promise.resolve({ rows: [] });
  const quiet = () => undefined;
  const client = { query, release: quiet, on: quiet, off: quiet };
  return { query, connect: () => Promise.resolve(client) };
};

/** A database of a host whose run `r` is in flight, and whose run `paused` waits for an answer. */
export function openDatabase(): Database.Database {
  const database = new Database(":memory:");
  const types = { order: "integer PRIMARY KEY AUTOINCREMENT", time: "text", metadata: "text" };
  database.exec(hostTables(USUAL_NAMES, types));
  for (const { up } of [...sqlite.sqliteMigrations, ...sqlite.sqliteTaskMigrations]) {
    database.exec(up);
  }
  database.exec("INSERT INTO threads VALUES ('t'), ('u')");
  const insert = database.prepare(
    `INSERT INTO runs (run_id, thread_id, status, updated_at, metadata, kwargs)
     VALUES (?, ?, ?, '2026-01-01T00:00:00.000Z', '{}', ?)`,
  );
  for (const [id, thread, status] of RUNS) {
    insert.run(id, thread, status, JSON.stringify(marked()));
  }
  return database;
}

const RUNS = [
  ["r", "t", "running"],
  ["paused", "u", "interrupted"],
] as const;

function memoryOptions() {
  const rows = RUNS.map(([id, thread_id, status]) => [id, { thread_id, status }] as const);
  const runs = new Map<string, memory.MemoryRun>(rows);
  return { runs, deliver: () => undefined, kwargs: marked };
}

/** The stores whose methods are called: of each ready driver, and of one with what is required alone. */
export const STORES: Readonly<Record<string, () => root.ResultMethods>> = {
  memory: () => root.resultMethods(memory.memoryDriver(memoryOptions())),
  SQLite: () => root.resultMethods(sqlite.sqliteDriver({ database: openDatabase() })),
  Postgres: () => root.resultMethods(postgres.postgresDriver({ pool: pool() })),
  "its own": () => {
    const { record, read } = memory.memoryDriver(memoryOptions());
    return root.resultMethods({ record, read });
  },
};

/** What each method of a store is called with. */
export const METHODS: Readonly<Record<keyof root.ResultMethods, () => unknown[]>> = {
  recordResult: () => ["r", RESULT()],
  getResult: () => ["r"],
  settleRun: () => ["r", { status: "success", error: { a: 1 }, result: RESULT(), delivery: {} }],
  cancelRun: () => ["r"],
  startRun: () => ["r"],
  exportResults: () => [["r", "paused"]],
  attachResults: () => [[["r", TEXTS()]], undefined],
  copyResults: () => [
    { sourceThread: "t", targetThread: "u", runs: [{ from: "r", to: "paused" }] },
    undefined,
  ],
  taskPage: () => [
    {
      task: "r",
      thread: "t",
      metadata: { owner: "o", of: { a: 1 } },
      state: "completed",
      since: "2026-01-01T00:00:00.000Z",
      after: { at: "2026-01-02T00:00:00.000Z", run: "s" },
      limit: 5,
      answers: true,
      count: true,
    },
  ],
  cancelPausedRun: () => ["paused"],
  passOverPaused: () => ["r"],
  admitResume: () => ["paused", () => undefined],
};

const FINISHED = () => ({ end: "finished", status: "success", result: RESULT(), delivery: {} });
const STOPPED = () => ({ end: "stopped", status: "error", error: { a: 1 }, delivery: {} });
const settling = (runs: object) => () => {
  const settlement = new root.RunSettlement(runs, { runId: "r", kwargs: marked() });
  return settlement.settle.bind(settlement) as AnyCall;
};
const written = () => Promise.resolve("success");

const EXPORTS: Readonly<Record<string, () => unknown[]>> = {
  "root.beginResume": () => [{ paused: "interrupted", checkpoint: "c", tip: "c", base: null }],
  "root.planResume": () => [facts(), { named: [{ id: "i", value: 1 }] }],
  "root.copiedCheckpoint": () => ['{"thread_id":"t"}', { sourceThread: "t", targetThread: "u" }],
  "root.copiedKwargs": () => [marked(), { runs: [{ from: "r", to: "s" }] }],
  "root.importedKwargs": () => [
    { runId: "r", threadId: "t", kwargs: marked() },
    () => ({ runId: "r", threadId: "t", kwargs: marked() }),
  ],
  "root.isSkeinResultsError": () => [new root.SkeinResultsError("driver_failed", "no", {})],
  "root.isTerminalRunStatus": () => ["success"],
  "root.markRun": () => [{ input: 1 }, { ...MARK }],
  "root.mergeResults": () => [{ version: "1", results: [["r", RESULT()]] }, () => true],
  "root.readMark": () => [marked()],
  "root.withoutMark": () => [marked()],
  "root.renderTask": () => [
    {
      run: run(),
      mark: { ...MARK },
      result: RESULT(),
      movedOn: false,
      messages: ["{}"],
    },
  ],
  "root.requireResultSupport": () => [STORES["memory"]?.()],
  "root.supportsResults": () => [STORES["memory"]?.()],
  "root.resultMethods": () => [memory.memoryDriver(memoryOptions()), { clock: () => new Date(0) }],
  "root.serializeWireJson": () => [RESULT()],
  "root.init": () => [undefined],
  "memory.memoryDriver": () => [memoryOptions()],
  "sqlite.sqliteDriver": () => [
    { database: openDatabase(), deliver: () => undefined, ...structuredClone(USUAL_NAMES) },
  ],
  "sqlite.migrateSqlite": () => [new Database(":memory:"), [[{ ...ONE_MIGRATION }]]],
  "postgres.postgresDriver": () => [
    {
      pool: pool(),
      deliver: () => Promise.resolve(),
      prepare: true,
      ...structuredClone(USUAL_NAMES),
    },
  ],
  "postgres.migratePostgres": () => [pool(), [[]]],
  "browser.browserStore": () => [{ storage: "local", prefix: "runs" }],
  "browser.init": () => [undefined],
  "a2a.agentCard": () => [
    { name: "n", description: "d", version: "1", url: "u", restUrl: "r", security: {}, skills: [] },
  ],
  "a2a.chatInput": () => [message()],
  "a2a.messageText": () => [message()],
  "a2a.partsReply": () => [message().parts, { as: "message" }],
  "a2a.createA2AHandler": () => [
    {
      card: {},
      hostFor: () => ({}),
      toInput: () => 1,
      onFailure: () => undefined,
    },
  ],
  "conformance.conformanceCases": () => [() => ({})],
};

const ONE_MIGRATION = { name: "0001_a", up: "CREATE TABLE a (b)", down: "DROP TABLE a" };

/** The classes: what the package throws, and what is called by its methods below. */
const CLASSES = ["root.SkeinResultsError", "root.RunSettlement", "conformance.ContractViolation"];

/** Which functions are exported: each has to stand in the list above. */
export function exportedFunctions(): { exported: string[]; listed: string[] } {
  const exported = Object.entries(MODULES).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => `${entry}.${name}`),
  );
  return { exported: exported.sort(), listed: [...Object.keys(EXPORTS), ...CLASSES].sort() };
}

const exportCalls = Object.entries(EXPORTS).map(([name, given]): EveryCall => {
  const [entry = "", member = ""] = name.split(".");
  return { name, open: () => Reflect.get(MODULES[entry] ?? {}, member) as AnyCall, given };
});

const methodCalls = Object.entries(STORES).flatMap(([store, open]) =>
  Object.keys(open()).map((method): EveryCall => ({
    name: `${method} of ${store}`,
    open: () => {
      const methods = open();
      return Reflect.get(methods, method) as AnyCall;
    },
    given: METHODS[method as keyof root.ResultMethods],
  })),
);

const settles = [FINISHED, STOPPED].flatMap((end): EveryCall[] => {
  const given = () => [end(), written];
  const { end: kind } = end();
  return [
    {
      name: `settle as ${kind} in one write`,
      open: () => settling(STORES["memory"]?.() ?? {})(),
      given,
    },
    {
      name: `settle as ${kind} in two`,
      open: () => settling(STORES["its own"]?.() ?? {})(),
      given,
    },
    { name: `settle as ${kind} in none`, open: settling({}), given },
  ];
});

export const EVERY_CALL: readonly EveryCall[] = [
  ...exportCalls,
  {
    name: "planResume plainly",
    open: () => root.planResume as AnyCall,
    given: () => [facts(), { plain: 1 }],
  },
  {
    name: "new RunSettlement",
    open:
      () =>
      (...given) =>
        Reflect.construct(root.RunSettlement, given) as object,
    given: () => [STORES["memory"]?.(), { runId: "r", kwargs: marked() }],
  },
  ...settles,
  ...methodCalls,
];
