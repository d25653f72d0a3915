import { setTimeout as wait } from "node:timers/promises";

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";

import { openHost } from "../host.js";
import type { RunRepo } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { Gate, withRuns, withThreads } from "./testing/store-wrappers.js";

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

  it.each(["no-such-graph", "", "a\u0000b", "a\ud83d", "a".repeat(600)])(
    "leaves no thread behind for an assistant that does not exist, nor could (%j)",
    async (assistantId) => {
      const { store } = openMemoryStore();
      const host = await openHost({ ...QUIET, store });

      const request = { threadId: null, assistantId };
      await expect(host.services().runs.start(request)).rejects.toMatchObject({ status: 404 });

      expect(await store.threads.count({})).toBe(0);
      await host.close();
    },
  );
});

describe("a run that was waited for", () => {
  it("is shown by its thread, however long that takes", async () => {
    const showing = new Gate();
    const store = withThreads(openMemoryStore().store, (threads) => ({
      update: async (threadId, patch) => {
        if (patch.status === "idle") await showing.pass();
        return threads.update(threadId, patch);
      },
    }));
    const host = await openHost({ ...QUIET, store });
    const { runs, threads } = host.services();
    const request = { threadId: null, assistantId: "echo", input: { value: "first" } };
    const { run_id, thread_id } = await runs.start(request);
    const waited = runs.wait(run_id);
    await showing.reached;
    // As seen from here its row is looked at again meanwhile.
    const soon = await Promise.race([waited, wait(500, "waits")]);
    const read = (await runs.get(run_id)).status;
    showing.open();

    expect([soon, read]).toEqual(["waits", "success"]);
    expect(await waited).toMatchObject({ status: "success" });
    const shown = { status: "idle", values: { value: "echo: first" } };
    expect(await threads.get(thread_id)).toMatchObject(shown);
    await host.close();
  });
});

/** Stops before `b`, for somebody to look at what is there. */
const guarded = (reached: string[]) =>
  new StateGraph(Annotation.Root({ value: Annotation<string> }))
    .addNode("a", ({ value }) => ({ value: `${value}!` }))
    .addNode("b", () => {
      reached.push("b");
      return { value: "approved" };
    })
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END);

describe("an execution whose kwargs cannot be read", () => {
  const request = { threadId: null, assistantId: "echo", input: { value: "first" } };
  const down = new Error("The connection is lost.");

  /** A store of which the kwargs of a run are read by this from the first start on. */
  const readBy = (read: (runs: RunRepo, runId: string) => ReturnType<RunRepo["getKwargs"]>) =>
    withRuns(openMemoryStore().store, (runs) => ({ getKwargs: (runId) => read(runs, runId) }));

  it("is not one of a run that was deleted meanwhile, which would go past where it is to stop", async () => {
    const reached: string[] = [];
    let deletes = false;
    const store = readBy(async (runs, runId) => {
      // By another process, which cannot stop it here, and when it has started.
      if (deletes) await wait(20);
      if (deletes) await runs.delete(runId);
      return runs.getKwargs(runId);
    });
    const graphs = { guarded: guarded(reached) };
    const host = await openHost({ ...QUIET, store, graphs });
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const stopping = {
      ...{ threadId: thread_id, assistantId: "guarded", input: { value: "look" } },
      interruptBefore: ["b"],
    };
    expect(await (await runs.submit(stopping)).outcome).toMatchObject({ status: "interrupted" });

    deletes = true;
    const { outcome } = await runs.submit(stopping);

    expect(await outcome).toBeNull();
    expect(reached).toEqual([]);
    await host.close();
  });

  it("reads them once more", async () => {
    let failures = 1;
    const store = readBy((runs, runId) =>
      (failures -= 1) < 0 ? runs.getKwargs(runId) : Promise.reject(down),
    );
    const host = await openHost({ ...QUIET, store });

    const { outcome } = await host.services().runs.submit(request);

    expect(await outcome).toMatchObject({ status: "success" });
    await host.close();
  });

  it("ends its run with the reason, and shows it, where they stay unread", async () => {
    const store = readBy(() => Promise.reject(down));
    const host = await openHost({ ...QUIET, store });
    const { runs, threads } = host.services();

    const { run, outcome } = await runs.submit(request);

    expect(await outcome).toMatchObject({ status: "error", error: { message: down.message } });
    expect(await runs.get(run.run_id)).toMatchObject({ status: "error" });
    expect(await threads.get(run.thread_id)).toMatchObject({ status: "error" });
    await host.close();
  });
});

describe("a run that somebody else would displace who may not", () => {
  it("is waited for until it has ended", async () => {
    const { store } = openMemoryStore();
    const host = await openHost({ ...QUIET, store });
    const ann = host.services({ tenant: "acme", user: "ann", access: "write" });
    const { thread_id: threadId } = await ann.threads.create();
    const request = {
      threadId,
      assistantId: "slow-echo",
      input: { value: "own", milliseconds: 600 },
    };
    const { run } = await host.services().runs.submit(request);
    await expect.poll(async () => (await store.runs.get(run.run_id))?.status).toBe("running");
    const ended = host.services().runs.wait(run.run_id);
    const untilEnded = host
      .services()
      .runs.untilEnded(run.run_id)
      .then(() => store.runs.get(run.run_id));

    await ann.runs.submit({ ...request, assistantId: "echo", multitaskStrategy: "interrupt" });

    for (const row of [await ended, await untilEnded]) {
      expect(["success", "interrupted"]).toContain(row?.status);
    }
    await host.close();
  });
});
