// The official client against a host on a real port.

import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

interface Part {
  event: string;
  data: unknown;
}

async function partsOf(stream: AsyncIterable<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const { event, data } of stream) parts.push({ event, data });
  return parts;
}

describe.each(hostKinds)("the LangGraph client on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let client: Client;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open();
    const { url } = await host.listen();
    client = new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  const newThread = async (): Promise<string> => (await client.threads.create()).thread_id;

  describe("assistants", () => {
    it("are the graphs that the host serves", async () => {
      const found = await client.assistants.search({ limit: 100 });

      expect(found.map(({ assistant_id }) => assistant_id)).toContain("echo");
      expect(await client.assistants.search({ graphId: "echo" })).toHaveLength(1);
      expect(await client.assistants.get("echo")).toMatchObject({ graph_id: "echo" });
      await expect(client.assistants.get("no-such-graph")).rejects.toThrow("404");
    });
  });

  describe("threads", () => {
    it("are created, read, found, changed and deleted", async () => {
      const created = await client.threads.create({ metadata: { topic: "ships" } });
      const id = created.thread_id;

      expect(created).toMatchObject({ status: "idle", metadata: { topic: "ships" } });
      expect(await client.threads.get(id)).toEqual(created);
      const found = await client.threads.search({ metadata: { topic: "ships" } });
      expect(found.map(({ thread_id }) => thread_id)).toContain(id);
      const updated = await client.threads.update(id, { metadata: { port: "Kiel" } });
      expect(updated).toMatchObject({ metadata: { topic: "ships", port: "Kiel" } });

      await client.threads.delete(id);
      await expect(client.threads.get(id)).rejects.toThrow("404");
    });

    it("are refused under an id that exists, or answered if that is asked for", async () => {
      const threadId = await newThread();

      await expect(client.threads.create({ threadId })).rejects.toThrow("409");
      const again = await client.threads.create({ threadId, ifExists: "do_nothing" });
      expect(again.thread_id).toBe(threadId);
    });

    it("have a state and a history", async () => {
      const threadId = await newThread();
      expect((await client.threads.getState(threadId)).values).toEqual({});
      await client.runs.wait(threadId, "echo", { input: { value: "first" } });

      const state = await client.threads.getState(threadId);
      const history = await client.threads.getHistory(threadId);

      expect(state).toMatchObject({ values: { value: "echo: first" }, next: [], tasks: [] });
      expect(history[0]).toEqual(state);
      expect(history.length).toBeGreaterThan(1);
      expect(await client.threads.getHistory(threadId, { limit: 1 })).toHaveLength(1);
      const earlier = history[1];
      if (!earlier) throw new Error("The thread has no earlier state.");
      const at = String(earlier.checkpoint.checkpoint_id);
      expect(await client.threads.getState(threadId, at)).toEqual(earlier);
      expect(await client.threads.getState(threadId, earlier.checkpoint)).toEqual(earlier);
    });

    it("take a state from outside, and go on from it", async () => {
      const threadId = await newThread();
      await client.runs.wait(threadId, "echo", { input: { value: "first" } });

      const values = { value: "written" };
      const { checkpoint } = (await client.threads.updateState(threadId, { values })) as {
        checkpoint: { checkpoint_id: string };
      };

      const state = await client.threads.getState(threadId);
      expect(state).toMatchObject({ values, checkpoint });
      expect((await client.threads.get(threadId)).values).toEqual(values);
    });

    it("are pruned", async () => {
      const threadId = await newThread();
      await client.runs.wait(threadId, "echo", { input: { value: "first" } });
      await client.runs.wait(threadId, "echo", { input: { value: "second" } });

      const answer = await client.threads.prune([threadId, "no-such-thread"], {
        strategy: "keep_latest",
      });

      expect(answer).toEqual({ pruned_count: 1 });
      const history = await client.threads.getHistory(threadId);
      expect(history.map(({ values }) => values)).toEqual([{ value: "echo: second" }]);
    });
  });

  describe("runs", () => {
    it("answer the state they end in", async () => {
      let started: unknown;
      const threadId = await newThread();

      const values = await client.runs.wait(threadId, "echo", {
        input: { value: "first" },
        onRunCreated: (run) => (started = run),
      });

      expect(values).toEqual({ value: "echo: first" });
      const [run] = await client.runs.list(threadId);
      expect(started).toEqual({ run_id: run?.run_id, thread_id: threadId });
      expect(await client.threads.get(threadId)).toMatchObject({
        status: "idle",
        values: { value: "echo: first" },
      });
    });

    it("need no thread", async () => {
      expect(await client.runs.wait(null, "echo", { input: { value: "alone" } })).toEqual({
        value: "echo: alone",
      });
    });

    it("take the thread that was made for them along, if that is asked for", async () => {
      const threads = await host.store.threads.count({});
      const payload = { input: { value: "alone" }, onCompletion: "delete" as const };

      await client.runs.wait(null, "echo", payload);

      await expect.poll(() => host.store.threads.count({})).toBe(threads);
    });

    it("tell why they failed", async () => {
      const threadId = await newThread();

      const failing = client.runs.wait(threadId, "failing", { input: { value: "No luck." } });

      await expect(failing).rejects.toThrow("Error: No luck.");
      const [run] = await client.runs.list(threadId);
      expect(run).toMatchObject({
        status: "error",
        error: { error: "Error", message: "No luck." },
      });
      expect(await client.threads.get(threadId)).toMatchObject({
        status: "error",
        error: "No luck.",
      });
    });

    it("go on in the background, and are joined", async () => {
      const threadId = await newThread();
      const run = await client.runs.create(threadId, "echo", { input: { value: "first" } });
      expect(run).toMatchObject({ thread_id: threadId, assistant_id: "echo", status: "pending" });

      expect(await client.runs.join(threadId, run.run_id)).toEqual({ value: "echo: first" });
      expect(await client.runs.get(threadId, run.run_id)).toMatchObject({ status: "success" });
    });

    it("stream what they do, and end", async () => {
      const threadId = await newThread();
      const stream = client.runs.stream(threadId, "echo", {
        input: { value: "first" },
        streamMode: ["values", "updates"],
      });

      const parts = await partsOf(stream);

      expect(parts).toContainEqual({
        event: "updates",
        data: { answer: { value: "echo: first" } },
      });
      expect(parts.at(-2)).toEqual({ event: "values", data: { value: "echo: first" } });
      expect(parts.at(-1)).toEqual({ event: "end", data: { status: "success" } });
    });

    it("stream why they failed", async () => {
      const stream = client.runs.stream(null, "failing", { input: { value: "No luck." } });

      const parts = await partsOf(stream);

      expect(parts.at(-1)).toEqual({
        event: "error",
        data: { error: "Error", message: "No luck." },
      });
    });

    it("are streamed from where a reader stopped, also when they have ended", async () => {
      const threadId = await newThread();
      const run = await client.runs.create(threadId, "echo", {
        input: { value: "first" },
        streamMode: "values",
      });
      await client.runs.join(threadId, run.run_id);

      const all = await partsOf(client.runs.joinStream(threadId, run.run_id));
      const rest = await partsOf(
        client.runs.joinStream(threadId, run.run_id, { lastEventId: "1" }),
      );

      expect(all.map(({ event }) => event)).toEqual(["values", "values", "end"]);
      expect(rest).toEqual(all.slice(1));
    });

    it("pause for an answer, and go on with it", async () => {
      const threadId = await newThread();
      await client.runs.wait(threadId, "ask", { input: { value: "Ship it" } });
      const paused = await client.threads.get(threadId);
      expect(paused.status).toBe("interrupted");
      const questions = Object.values(paused.interrupts).flat();
      expect(questions.map(({ value }) => value)).toEqual([{ question: "Ship it?" }]);

      const values = await client.runs.wait(threadId, "ask", { command: { resume: "yes" } });

      expect(values).toEqual({ value: "Ship it", answer: "yes" });
      expect(await client.threads.get(threadId)).toMatchObject({ status: "idle", interrupts: {} });
    });

    it("are cancelled", async () => {
      const threadId = await newThread();
      const run = await client.runs.create(threadId, "slow-echo", { input: { value: "slow" } });

      await client.runs.cancel(threadId, run.run_id, true);

      expect(await client.runs.get(threadId, run.run_id)).toMatchObject({ status: "cancelled" });
      expect(await client.runs.wait(threadId, "echo", { input: { value: "next" } })).toEqual({
        value: "echo: next",
      });
    });

    it("are listed by status, and deleted", async () => {
      const threadId = await newThread();
      await client.runs.wait(threadId, "echo", { input: { value: "first" } });
      await client.runs
        .wait(threadId, "failing", { input: { value: "No." } })
        .catch(() => undefined);
      const failed = await client.runs.list(threadId, { status: "error" });
      expect(failed).toHaveLength(1);
      const runId = String(failed[0]?.run_id);

      await client.runs.delete(threadId, runId);

      expect(await client.runs.list(threadId)).toHaveLength(1);
      await expect(client.runs.get(threadId, runId)).rejects.toThrow("404");
    });

    it("are refused on a busy thread, on an unknown one and for an unknown graph", async () => {
      const threadId = await newThread();
      const busy = await client.runs.create(threadId, "slow-echo", { input: { value: "slow" } });

      await expect(client.runs.create(threadId, "echo")).rejects.toThrow("422");
      await expect(client.runs.create("no-such-thread", "echo")).rejects.toThrow("404");
      await expect(client.runs.create(threadId, "no-such-graph")).rejects.toThrow("404");
      await client.runs.cancel(threadId, busy.run_id);
    });

    it("bring their thread into existence if that is asked for", async () => {
      const threadId = crypto.randomUUID();
      const payload = { input: { value: "first" }, ifNotExists: "create" as const };

      expect(await client.runs.wait(threadId, "echo", payload)).toEqual({ value: "echo: first" });
      expect((await client.threads.get(threadId)).thread_id).toBe(threadId);
    });

    it("branch from an earlier checkpoint", async () => {
      const threadId = await newThread();
      await client.runs.wait(threadId, "ask", { input: { value: "Ship it" } });
      const asked = await client.threads.getState(threadId);
      await client.runs.wait(threadId, "ask", { command: { resume: "yes" } });

      const checkpointId = String(asked.checkpoint.checkpoint_id);
      const values = await client.runs.wait(threadId, "ask", {
        checkpointId,
        command: { resume: "no" },
      });

      expect(values).toMatchObject({ value: "Ship it" });
      const history = await client.threads.getHistory(threadId);
      const branches = history.filter(
        ({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id === checkpointId,
      );
      expect(branches.length).toBeGreaterThan(1);
    });

    it("do not belong to another thread", async () => {
      const [threadId, other] = [await newThread(), await newThread()];
      const run = await client.runs.create(threadId, "echo", { input: { value: "first" } });

      await expect(client.runs.get(other, run.run_id)).rejects.toThrow("404");
      await expect(client.runs.cancel(other, run.run_id)).rejects.toThrow("404");
      await expect(client.runs.delete(other, run.run_id)).rejects.toThrow("404");
      await client.runs.join(threadId, run.run_id);
    });
  });
});
