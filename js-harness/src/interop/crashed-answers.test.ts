// An answer was taken, and the process died before its run had ended. What the process leaves is a copy
// of its file from that moment.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openSqliteHost, type HostSettings } from "../host.js";

import { getTask, send, sendAndGo, stateOf, wireParts } from "./client.js";
import { serveAgent, type ServedAgent } from "./testing/agent.js";

const State = Annotation.Root({
  value: Annotation<string>,
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

/** Asks, notes the answer, and then works until it is let go. */
const askAndWork = (work: () => Promise<void>) =>
  new StateGraph(State)
    .addNode("question", () => ({ answers: [interrupt("Ship it?")] }))
    .addNode("work", async () => {
      await work();
      return { value: "worked" };
    })
    .addEdge(START, "question")
    .addEdge("question", "work")
    .addEdge("work", END);

describe("an answer whose run did not end", () => {
  let folder: string;
  let agent: ServedAgent;
  const opened: ServedAgent[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "skein-crash-"));
  });
  afterEach(async () => {
    for (const { host } of opened.splice(0)) await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  const serve = async (file: string, settings: HostSettings): Promise<ServedAgent> => {
    const place = {
      open: (more?: HostSettings) =>
        openSqliteHost({ shutdownGraceMs: 50, ...settings, ...more, path: join(folder, file) }),
    };
    const served = await serveAgent(place, { assistantId: "agent" }, settings);
    opened.push(served);
    return served;
  };
  /** What is on the disk now, as the death of the process would leave it. */
  const leave = (file: string): void => {
    const database = new Database(join(folder, "agent.db"));
    database.prepare("VACUUM INTO ?").run(join(folder, file));
    database.close();
  };

  it("is executed by the next process if it had not begun", async () => {
    const graphs = { agent: askAndWork(() => Promise.resolve()) };
    agent = await serve("agent.db", { graphs });
    const { id } = await send(agent.client, "Ship it");
    await agent.host.close();
    // It admits, and executes nothing.
    const idle = await serve("agent.db", { graphs, concurrency: 0 });
    await sendAndGo(idle.client, "yes", { taskId: id });
    await idle.host.close();

    const next = await serve("agent.db", { graphs });

    await expect.poll(async () => stateOf(await getTask(next.client, id)), LONG).toBe("COMPLETED");
    const answered = await getTask(next.client, id);
    expect(wireParts(answered)).toEqual([{ data: { value: "worked", answers: ["yes"] } }]);
    expect(answered.history).toHaveLength(2);
  });

  it("goes on where it was, and the answer counts once", async () => {
    let reached = (): void => undefined;
    const working = new Promise<void>((resolve) => (reached = resolve));
    let stall = true;
    const work = async (): Promise<void> => {
      reached();
      if (stall) await wait(30_000);
    };
    const graphs = { agent: askAndWork(work) };
    agent = await serve("agent.db", { graphs });
    const { id } = await send(agent.client, "Ship it");
    await sendAndGo(agent.client, "yes", { taskId: id });
    await working;
    leave("left.db");
    stall = false;

    const next = await serve("left.db", { graphs });

    await expect.poll(async () => stateOf(await getTask(next.client, id)), LONG).toBe("COMPLETED");
    expect(wireParts(await getTask(next.client, id))).toEqual([
      { data: { value: "worked", answers: ["yes"] } },
    ]);
  });

  it("fails if its pause was taken away from it meanwhile", async () => {
    const graphs = { agent: askAndWork(() => Promise.resolve()) };
    agent = await serve("agent.db", { graphs, concurrency: 1 });
    const { id, contextId } = await send(agent.client, "Ship it");
    await send(agent.client, "yes", { taskId: id });
    const [, answer] = await agent.host.store.runs.listByThread(contextId);
    leave("left.db");
    const left = new Database(join(folder, "left.db"));
    // As if it had not begun, while the thread has gone on.
    left
      .prepare(
        "UPDATE runs SET status = 'pending', base_checkpoint = NULL, result_values = NULL WHERE run_id = ?",
      )
      .run(String(answer?.run_id));
    left.close();

    const next = await serve("left.db", { graphs });

    await expect.poll(async () => stateOf(await getTask(next.client, id)), LONG).toBe("FAILED");
    expect((await getTask(next.client, id)).artifacts).toEqual([]);
  });
});

const LONG = { timeout: 20_000, interval: 50 };
