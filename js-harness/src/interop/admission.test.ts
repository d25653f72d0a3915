// A store that cannot keep results is refused before a thread or a run exists.

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { withRuns } from "../engine/testing/store-wrappers.js";
import { openHost } from "../host.js";
import type { RunRepo, SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { cancelTask, getTask, send } from "./client.js";
import { rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

/** The runs of a store without some of their methods. */
function without(store: SkeinStore, ...methods: (keyof RunRepo)[]): SkeinStore {
  const runs = { ...store.runs };
  for (const method of methods) Reflect.deleteProperty(runs, method);
  return { ...store, runs };
}

function withThrowingGetter(store: SkeinStore): SkeinStore {
  const runs = Object.defineProperty({ ...store.runs }, "getResult", {
    get: () => {
      throw new Error("Not connected.");
    },
  });
  return { ...store, runs };
}

/** A wrapper that hides what it does not know. */
function behindProxy(store: SkeinStore): SkeinStore {
  const runs = new Proxy(store.runs, {
    get: (target, name, self) =>
      name === "recordResult" ? undefined : (Reflect.get(target, name, self) as unknown),
  });
  return { ...store, runs };
}

/** What a class inherits is no property of its own, and needs its `this`. */
class ForwardingRuns {
  constructor(readonly inner: RunRepo) {}

  recordResult(...call: Parameters<NonNullable<RunRepo["recordResult"]>>): Promise<void> {
    return this.inner.recordResult?.(...call) ?? Promise.resolve();
  }

  getResult(...[runId]: Parameters<NonNullable<RunRepo["getResult"]>>) {
    return this.inner.getResult?.(runId) ?? Promise.resolve(null);
  }
}

function inheriting(store: SkeinStore): SkeinStore {
  const { recordResult: _record, getResult: _get, ...runs } = store.runs;
  return { ...store, runs: Object.assign(new ForwardingRuns(store.runs), runs) };
}

async function serveOver(store: SkeinStore): Promise<ServedAgent> {
  const open = (settings: object) => openHost({ ...settings, store, saver: new MemorySaver() });
  return serveAgent({ open }, { assistantId: "echo" });
}

const complete = (): SkeinStore => openMemoryStore().store;

describe("a store that cannot keep results", () => {
  it.each<[string, SkeinStore, RegExp]>([
    [
      "without either method",
      without(complete(), "recordResult", "getResult"),
      /recordResult.*getResult/,
    ],
    ["without recordResult", without(complete(), "recordResult"), /recordResult/],
    ["without getResult", without(complete(), "getResult"), /getResult/],
    [
      "with a method that is undefined",
      withRuns(complete(), () => ({ getResult: undefined }) as unknown as Partial<RunRepo>),
      /getResult/,
    ],
    [
      "with a method that is no function",
      withRuns(complete(), () => ({ recordResult: true }) as unknown as Partial<RunRepo>),
      /recordResult/,
    ],
    ["with a method that cannot be read", withThrowingGetter(complete()), /getResult/],
    ["behind a proxy that hides a method", behindProxy(complete()), /recordResult/],
  ])("is refused %s, and nothing is created", async (_name, store, missing) => {
    const { host, client } = await serveOver(store);
    const { thread_id } = await host.services().threads.create();
    const before = await rowsOf(host);
    expect(before).toEqual({ threads: [thread_id], runs: [] });

    const refusals = [
      await refusalOf(send(client, "first")),
      await refusalOf(send(client, "first", { contextId: thread_id })),
    ];

    for (const { code, message } of refusals) {
      expect(code).toBe(-32004);
      expect(message).toMatch(missing);
    }
    expect(await rowsOf(host)).toEqual(before);
    // There is no task to read or to cancel, and the refusal of that is no other than elsewhere.
    expect(await refusalOf(getTask(client, "unknown"))).toMatchObject({ code: -32001 });
    expect(await refusalOf(cancelTask(client, "unknown"))).toMatchObject({ code: -32001 });
    await host.close();
  });

  it("still executes ordinary runs", async () => {
    const { host } = await serveOver(without(complete(), "recordResult", "getResult"));
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const run = await runs.start({
      threadId: thread_id,
      assistantId: "echo",
      input: { value: "a" },
    });
    expect(await runs.wait(run.run_id)).toMatchObject({ status: "success" });
    await host.close();
  });
});

it("a store whose methods are inherited from its class is accepted, and called as itself", async () => {
  const { host, client } = await serveOver(
    inheriting(without(complete(), "settleRun", "cancelRun")),
  );

  const task = await send(client, "first");

  expect(task.artifacts).toHaveLength(1);
  expect(await getTask(client, task.id)).toEqual(task);
  await host.close();
});
