import { setTimeout as wait } from "node:timers/promises";

import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { openHost } from "../host.js";
import { openMemoryStore } from "../stores/memory.js";

import { Gate, withRuns } from "./testing/store-wrappers.js";

const QUIET = { saver: new MemorySaver(), log: () => {} };

describe("an execution that cannot begin", () => {
  it("ends its run with the reason when the thread cannot be claimed", async () => {
    const { store } = openMemoryStore();
    const gate = { acquire: () => Promise.reject(new Error("The server is down.")) };
    const host = await openHost({ ...QUIET, store, gate });
    const { runs } = host.services();

    const request = { threadId: null, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await runs.submit(request);

    expect(await outcome).toMatchObject({ status: "error" });
    const ended = await runs.get(run.run_id);
    expect(ended.status).toBe("error");
    expect(ended.error?.message).toContain("could not be claimed");
    await host.close();
  });

  it("ends its run with the reason when the store refuses its start", async () => {
    const store = withRuns(openMemoryStore().store, () => ({
      startRun: () => Promise.reject(new Error("The disk is full.")),
    }));
    const host = await openHost({ ...QUIET, store });
    const { runs } = host.services();

    const request = { threadId: null, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await runs.submit(request);

    expect(await outcome).toEqual({
      status: "error",
      error: { error: "Error", message: "The disk is full." },
    });
    expect((await runs.get(run.run_id)).status).toBe("error");
    await host.close();
  });

  it("leaves its run for the next host when this one closes before the thread is free", async () => {
    const { store } = openMemoryStore();
    const door = new Gate();
    const gate = {
      acquire: async () => {
        await door.pass();
        return { release: () => Promise.resolve() };
      },
    };
    const host = await openHost({ ...QUIET, store, gate, shutdownGraceMs: 10 });
    const request = { threadId: null, assistantId: "echo", input: { value: "first" } };
    const { run, outcome } = await host.services().runs.submit(request);

    await door.reached;
    const closed = host.close();
    await wait(50);
    door.open();
    await closed;

    expect(await outcome).toBeNull();
    expect(await store.runs.get(run.run_id)).toMatchObject({ status: "pending" });
  });

  it("leaves no thread behind for an assistant that does not exist", async () => {
    const { store } = openMemoryStore();
    const host = await openHost({ ...QUIET, store });

    const request = { threadId: null, assistantId: "no-such-graph" };
    await expect(host.services().runs.start(request)).rejects.toMatchObject({ status: 404 });

    expect(await store.threads.count({})).toBe(0);
    await host.close();
  });
});
