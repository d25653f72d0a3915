import { Annotation, DeltaChannel, END, START, StateGraph } from "@langchain/langgraph";
import {
  emptyCheckpoint,
  MemorySaver,
  TASKS,
  type BaseCheckpointSaver,
  type CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { RunOutcome } from "../engine/outcome.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { graphs } from "../graphs/index.js";
import type { Host } from "../host.js";

import { checkpointRows } from "./checkpoint-pruning/checkpoint-rows.js";

/** Remembers every value it is given, as changes and not as a whole. */
const remember = new StateGraph(
  Annotation.Root({
    seen: () => new DeltaChannel<string[], string[]>((seen, added) => [...seen, ...added.flat()]),
  }),
)
  .addNode("notice", () => ({ seen: ["noticed"] }))
  .addEdge(START, "notice")
  .addEdge("notice", END);

describe.each(hostKinds)("pruning a thread on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open({ graphs: { ...graphs, remember } });
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  const newThread = async (): Promise<string> => (await host.services().threads.create()).thread_id;
  const turn = async (
    threadId: string,
    assistantId: string,
    request: { input?: unknown; command?: { resume: unknown } },
  ): Promise<RunOutcome | null> => {
    const { outcome } = await host.services().runs.submit({ threadId, assistantId, ...request });
    return outcome;
  };
  const prune = (threadId: string) =>
    host.services().threads.prune({ thread_ids: [threadId], strategy: "keep_latest" });
  const checkpoints = async (threadId: string): Promise<CheckpointTuple[]> => {
    const tuples: CheckpointTuple[] = [];
    const config = { configurable: { thread_id: threadId } };
    for await (const tuple of host.saver.list(config)) tuples.push(tuple);
    return tuples;
  };
  const coordinates = (tuple: CheckpointTuple) => ({
    namespace: String(tuple.config.configurable?.["checkpoint_ns"]),
    id: tuple.checkpoint.id,
    parent: tuple.parentConfig?.configurable?.["checkpoint_id"] as string | undefined,
  });

  it("keeps the newest checkpoint with its id and no parent, and the state reads the same", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await turn(threadId, "echo", { input: { value: "second" } });
    const before = await threads.getState(threadId);

    expect(await prune(threadId)).toEqual({ pruned_count: 1 });

    expect((await checkpoints(threadId)).map(coordinates)).toEqual([
      { namespace: "", id: before.checkpoint.checkpoint_id, parent: undefined },
    ]);
    const after = await threads.getState(threadId);
    expect(after).toEqual({ ...before, parent_checkpoint: null });
    expect(await threads.history(threadId)).toEqual([after]);
  });

  it("lets the thread take its next turn", async () => {
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await prune(threadId);

    const outcome = await turn(threadId, "echo", { input: { value: "second" } });

    expect(outcome?.result?.values).toEqual({ value: "echo: second" });
    const { values } = await host.services().threads.getState(threadId);
    expect(values).toEqual({ value: "echo: second" });
  });

  it("keeps the newest of each namespace, so that a paused subgraph can go on", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "with-subgraph", { input: { value: "Ship it" } });
    const before = await checkpoints(threadId);
    const namespaces = [...new Set(before.map((tuple) => coordinates(tuple).namespace))];
    expect(namespaces).toHaveLength(2);
    const newest = namespaces.map((namespace) =>
      before
        .map(coordinates)
        .filter((tuple) => tuple.namespace === namespace)
        .map(({ id }) => id)
        .sort()
        .at(-1),
    );

    await prune(threadId);

    const kept = (await checkpoints(threadId)).map(coordinates);
    expect(kept.map(({ id }) => id).sort()).toEqual(newest.sort());
    expect(kept.map(({ parent }) => parent)).toEqual([undefined, undefined]);
    expect((await threads.getState(threadId)).next).toEqual(["inner"]);

    const outcome = await turn(threadId, "with-subgraph", { command: { resume: "yes" } });
    expect(outcome).toMatchObject({
      status: "success",
      result: { values: { value: "Ship it or not", answer: "yes" } },
    });
  });

  it("keeps the questions of a paused thread", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await turn(threadId, "ask", { input: { value: "Ship it" } });
    const before = await threads.getState(threadId);

    await prune(threadId);

    expect((await threads.getState(threadId)).tasks).toEqual(before.tasks);
    const outcome = await turn(threadId, "ask", { command: { resume: false } });
    expect(outcome?.result?.values).toMatchObject({ answer: false });
  });

  it("keeps the ancestors from which a delta channel is put together", async () => {
    const threadId = await newThread();
    for (const seen of ["a", "b"]) await turn(threadId, "remember", { input: { seen: [seen] } });
    const before = await host.services().threads.getState(threadId);
    expect(before.values).toEqual({ seen: ["a", "noticed", "b", "noticed"] });

    await prune(threadId);

    const after = await host.services().threads.getState(threadId);
    expect(after.values).toEqual(before.values);
  });

  it("keeps what an old checkpoint has beside its parent", async () => {
    const threadId = await newThread();
    // Before format 4 a checkpoint's pending sends stood among the writes of its parent.
    const put = async (id: string, parent: string | undefined) => {
      const at = (checkpoint_id: string | undefined) => ({
        configurable: { thread_id: threadId, checkpoint_ns: "", checkpoint_id },
      });
      const checkpoint = { ...emptyCheckpoint(), v: 1, id };
      await host.saver.put(at(parent), checkpoint, { source: "loop", step: 1, parents: {} }, {});
      await host.saver.putWrites(at(id), [[TASKS, { sent: id }]], "task");
    };
    await put("1", undefined);
    await put("2", "1");
    await put("3", "2");
    const tip = { configurable: { thread_id: threadId } };
    const before = await host.saver.getTuple(tip);
    expect(before?.checkpoint.channel_values[TASKS]).toEqual([{ sent: "2" }]);

    expect(await prune(threadId)).toEqual({ pruned_count: 1 });

    expect((await checkpoints(threadId)).map(({ checkpoint }) => checkpoint.id)).toEqual([
      "3",
      "2",
    ]);
    const after = await host.saver.getTuple(tip);
    expect(after?.checkpoint.channel_values).toEqual(before?.checkpoint.channel_values);
  });

  it("does nothing to a thread that has no history, and nothing twice", async () => {
    const threadId = await newThread();
    expect(await prune(threadId)).toEqual({ pruned_count: 0 });

    await turn(threadId, "echo", { input: { value: "first" } });
    expect(await prune(threadId)).toEqual({ pruned_count: 1 });
    expect(await prune(threadId)).toEqual({ pruned_count: 0 });
  });

  it("leaves a thread alone that executes", async () => {
    const { runs } = host.services();
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    const slow = { threadId, assistantId: "slow-echo", input: { value: "slow" } };
    const { run, outcome } = await runs.submit(slow);
    await expect.poll(async () => (await runs.get(run.run_id)).status).toBe("running");
    const before = (await checkpoints(threadId)).length;

    expect(await prune(threadId)).toEqual({ pruned_count: 0 });

    expect((await checkpoints(threadId)).length).toBeGreaterThanOrEqual(before);
    await runs.cancel(run.run_id);
    await outcome;
  });

  it("leaves other threads alone", async () => {
    const [pruned, other] = [await newThread(), await newThread()];
    for (const threadId of [pruned, other]) {
      await turn(threadId, "echo", { input: { value: "first" } });
    }
    const before = (await checkpoints(other)).map(coordinates);

    await prune(pruned);

    expect((await checkpoints(other)).map(coordinates)).toEqual(before);
  });

  it("leaves no pending write and no blob of what it removes", async () => {
    const threadId = await newThread();
    await turn(threadId, "echo", { input: { value: "first" } });
    await turn(threadId, "echo", { input: { value: "second" } });

    await prune(threadId);

    expect(await storedText(host.saver, threadId)).not.toContain("first");
  });

  it("removes threads with everything of theirs if that is asked for, and skips unknown ones", async () => {
    const { threads } = host.services();
    const threadId = await newThread();
    const outcome = await turn(threadId, "echo", { input: { value: "first" } });
    expect(outcome?.status).toBe("success");

    const request = { thread_ids: [threadId, threadId, "no-such-thread"] };
    expect(await threads.prune(request)).toEqual({ pruned_count: 1 });

    expect(await host.store.threads.get(threadId)).toBeNull();
    expect(await host.store.runs.listByThread(threadId)).toEqual([]);
    expect(await checkpoints(threadId)).toEqual([]);
    expect(await storedText(host.saver, threadId)).not.toContain("first");
  });
});

describe("pruning with a saver whose storage is not known", () => {
  it("is refused, and says for which saver", () => {
    const saver = { constructor: { name: "ElsewhereSaver" } } as unknown as BaseCheckpointSaver;

    expect(() => checkpointRows(saver)).toThrow(/ElsewhereSaver/);
  });
});

/** All that a saver has stored for a thread, as text. */
async function storedText(saver: BaseCheckpointSaver, threadId: string): Promise<string> {
  const rows = await storedRows(saver, threadId);
  return JSON.stringify(rows, (_key, part: unknown) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString();
    // A Buffer has been turned into this by its own `toJSON` before it gets here.
    const isBuffer = typeof part === "object" && part !== null && "data" in part && "type" in part;
    return isBuffer && part.type === "Buffer"
      ? Buffer.from(part.data as number[]).toString()
      : part;
  });
}

async function storedRows(saver: BaseCheckpointSaver, threadId: string): Promise<unknown> {
  if (saver instanceof PostgresSaver) {
    const { pool } = saver as unknown as { pool: Pool };
    const tables = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"];
    const rows = tables.map(async (table) => {
      const found = await pool.query(`SELECT * FROM ${table} WHERE thread_id = $1`, [threadId]);
      return found.rows as unknown;
    });
    return Promise.all(rows);
  }
  if (saver instanceof SqliteSaver) {
    return ["checkpoints", "writes"].map((table) =>
      saver.db.prepare(`SELECT * FROM ${table} WHERE thread_id = ?`).all(threadId),
    );
  }
  if (!(saver instanceof MemorySaver)) throw new Error("What this saver stores is not known.");
  const writes = Object.entries(saver.writes).filter(([key]) => key.includes(threadId));
  return [saver.storage[threadId], writes];
}
