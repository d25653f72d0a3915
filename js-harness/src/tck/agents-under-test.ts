// The agents that the kit is run against: this host on each of its stores, and the SDK's own handler as
// the measure.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Part } from "@a2a-js/sdk";
import { InMemoryTaskStore } from "@a2a-js/sdk/server";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { renderTask, type RunResult, type TaskPart } from "skein-results";

import {
  openMemoryHost,
  openPostgresHost,
  openSqliteHost,
  type Host,
  type HostSettings,
} from "../host.js";
import { dataPart, textPart } from "../sdk-handler/task-events.js";
import type { GraphAnswer } from "../sdk-handler/graph-executor.js";
import { serveSdkAgent } from "../sdk-handler/serve.js";
import { freshDatabase, startPostgres } from "../testing/postgres-server.js";

import { scripted, scriptedAnswer, scriptedInput } from "./graph.js";
import { scriptedGraphs, scriptedMount, serveCardAlone } from "./mount.js";

/** An agent that the kit can be run against. */
export interface AgentUnderTest {
  /** What answers: this package's adapter, or the SDK's own handler. */
  sut: "skein-results" | "sdk";
  store: string;
  /** Serves the agent while `use` is at work. */
  serve<T>(use: (url: string) => Promise<T>): Promise<T>;
}

/** What the script fails with on purpose is no news. */
const SETTINGS: HostSettings = {
  graphs: scriptedGraphs,
  mount: scriptedMount,
  log: () => undefined,
};

const memory: AgentUnderTest = {
  sut: "skein-results",
  store: "memory",
  serve: async (use) => served(await openMemoryHost(SETTINGS), use),
};

const sqlite: AgentUnderTest = {
  sut: "skein-results",
  store: "sqlite",
  serve: async (use) => {
    const folder = await mkdtemp(join(tmpdir(), "skein-tck-"));
    try {
      return await served(
        await openSqliteHost({ ...SETTINGS, path: join(folder, "agent.db") }),
        use,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

const postgres: AgentUnderTest = {
  sut: "skein-results",
  store: "postgres",
  serve: async (use) => {
    const server = await startPostgres();
    const database = await freshDatabase(server.url);
    try {
      return await served(await openPostgresHost({ ...SETTINGS, url: database.url }), use);
    } finally {
      await database.drop();
      await server.stop();
    }
  },
};

/** The measure, with all that it can do. */
export const sdk: AgentUnderTest = {
  sut: "sdk",
  store: "InMemoryTaskStore",
  serve: async (use) => {
    const server = await serveSdkAgent({
      name: "scripted",
      taskStore: new InMemoryTaskStore(),
      graph: scripted.compile({ checkpointer: new MemorySaver() }),
      toInput: scriptedInput,
      toAnswer: scriptedAnswer,
      render: answerOf,
      capabilities: { pushNotifications: true },
      mount: serveCardAlone,
    });
    try {
      return await use(server.url);
    } finally {
      server.drop();
      await server.close();
    }
  },
};

export const hosts: readonly AgentUnderTest[] = [memory, sqlite, postgres];

async function served<T>(host: Host, use: (url: string) => Promise<T>): Promise<T> {
  try {
    return await use((await host.listen()).url);
  } finally {
    await host.close();
  }
}

/** The declared reply read as the adapter reads it, so that both say the same. */
function answerOf(reply: { reply: unknown } | undefined, values: unknown): GraphAnswer {
  const updated_at = new Date(0).toISOString();
  const { artifact } = renderTask({
    run: { run_id: "", thread_id: "", status: "success", updated_at },
    mark: { root: "", turn: 0, message: null },
    result: { values: values as RunResult["values"], ...reply },
    movedOn: false,
  });
  return { as: artifact?.as ?? "artifact", parts: (artifact?.parts ?? []).map(partOf) };
}

function partOf(part: TaskPart): Part {
  if (part.kind === "wire") return Part.fromJSON(part.part);
  return part.kind === "text" ? textPart(part.text) : dataPart(part.data);
}
