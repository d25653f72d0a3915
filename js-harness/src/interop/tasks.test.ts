// Tasks over runs, with the official client over JSON-RPC: send, get, cancel, and the card.

import { Message, Role, Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";

import {
  cancelTask,
  connect,
  getTask,
  part,
  send,
  sendAndGo,
  sendMessage,
  userMessage,
  wireParts,
} from "./client.js";
import { jsonInput, serveAgent, type ServedAgent } from "./testing/agent.js";
import { call, refusalOf } from "./testing/json-rpc.js";

const state = (task: { status: TaskStatus | undefined }): TaskState | undefined =>
  task.status?.state;

describe.each(hostKinds)("a task on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  const serve = (): Promise<ServedAgent> => serveAgent(place, { assistantId: "echo" });
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serve();
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  it("is completed when a send answers, with its answer and the message it was made of", async () => {
    const { client, host } = agent;
    const message = userMessage("hello", { metadata: { note: "kept" }, extensions: ["urn:x"] });

    const task = await sendMessage(client, message);

    const run = await host.store.runs.get(task.id);
    expect(Task.toJSON(task)).toStrictEqual({
      id: run?.run_id,
      contextId: run?.thread_id,
      status: { state: "TASK_STATE_COMPLETED", timestamp: run?.updated_at },
      artifacts: [{ artifactId: `result-${task.id}`, parts: [{ data: { value: "echo: hello" } }] }],
      history: [Message.toJSON({ ...message, contextId: task.contextId, taskId: task.id })],
    });
    expect(run).toMatchObject({ status: "success" });
    expect(task.status?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("reads the same to the byte, ten times and from a host that was opened again", async () => {
    const { id } = await send(agent.client, "first");
    const texts = new Set<string>();
    const read = async (): Promise<void> => {
      texts.add((await call(agent.url, "GetTask", { id })).text);
    };

    for (let times = 0; times < 10; times += 1) await read();
    if (kind.durable) {
      await agent.host.close();
      agent = await serve();
      await read();
    }

    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain("echo: first");
  });

  it("is one of several in its context, each with its own artifact", async () => {
    const { client } = agent;
    const first = await send(client, "first");
    const second = await send(client, "second", { contextId: first.contextId });

    expect(second.contextId).toBe(first.contextId);
    expect(second.id).not.toBe(first.id);
    const read = await Promise.all([getTask(client, first.id), getTask(client, second.id)]);
    expect(read.map(wireParts)).toEqual([
      [{ data: { value: "echo: first" } }],
      [{ data: { value: "echo: second" } }],
    ]);
    expect(read.map(({ history }) => history.length)).toEqual([1, 1]);
    const ids = read.flatMap(({ artifacts }) => artifacts.map(({ artifactId }) => artifactId));
    expect(ids).toEqual([`result-${first.id}`, `result-${second.id}`]);
  });

  it("may be in a context that its caller created as a thread, whatever its id", async () => {
    const thread_id = "träd 1/ü";
    await agent.host.services().threads.create({ thread_id });

    const task = await send(agent.client, "first", { contextId: thread_id });

    expect(task.contextId).toBe(thread_id);
    expect((await getTask(agent.client, task.id)).contextId).toBe(thread_id);
  });

  it("carries a body of megabytes there and back", async () => {
    const text = "x".repeat(2_000_000);

    const task = await send(agent.client, text);

    expect(wireParts(await getTask(agent.client, task.id))).toEqual([
      { data: { value: `echo: ${text}` } },
    ]);
  });

  it.each([
    [undefined, 1],
    [0, 0],
    [1, 1],
    [99, 1],
  ])("has as much history as is asked for (%s: %d)", async (historyLength, messages) => {
    const { client, url } = agent;
    const configuration = historyLength === undefined ? {} : { historyLength };

    const sent = await sendMessage(client, userMessage("hello"), configuration);
    const read = await call(url, "GetTask", { id: sent.id, historyLength });

    expect(sent.history).toHaveLength(messages);
    expect(Task.fromJSON(read.body.result).history).toHaveLength(messages);
    // None is no member at all, and asking for less takes nothing away.
    expect(read.text.includes('"history"')).toBe(messages > 0);
    expect((await getTask(client, sent.id)).history).toHaveLength(1);
  });

  it("is not known by the id of an ordinary run", async () => {
    const { client, host } = agent;
    const { runs, threads } = host.services();
    const { thread_id } = await threads.create();
    const request = { threadId: thread_id, assistantId: "echo", input: { value: "plain" } };
    const run = await runs.start(request);
    await runs.wait(run.run_id);

    expect(await refusalOf(getTask(client, run.run_id))).toMatchObject({ code: -32001 });
    expect(await refusalOf(cancelTask(client, run.run_id))).toMatchObject({ code: -32001 });
  });

  it("is gone with its run", async () => {
    const { client, host } = agent;
    const task = await send(client, "first");
    await host.services().runs.delete(task.id);

    expect(await refusalOf(getTask(client, task.id))).toMatchObject({ code: -32001 });
  });
});

describe.each(hostKinds)("a task that takes its time, on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "slow-echo", toInput: jsonInput });
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  const lasting = (milliseconds: number): string => JSON.stringify({ value: "slow", milliseconds });

  it("is answered at once by a send that does not wait, and found completed later", async () => {
    const { client, host } = agent;

    const task = await sendAndGo(client, lasting(500));
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(state(task));
    expect(task.artifacts).toEqual([]);
    await host.services().runs.wait(task.id);

    const read = await getTask(client, task.id);
    expect(state(read)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(wireParts(read)).toEqual([{ data: { value: "echo: slow", milliseconds: 500 } }]);
  });

  it("makes the next task in its context wait its turn", async () => {
    const { client } = agent;

    const first = await sendAndGo(client, lasting(500));
    const second = await sendAndGo(client, lasting(1), { contextId: first.contextId });
    expect(state(second)).toBe(TaskState.TASK_STATE_SUBMITTED);

    const third = await send(client, lasting(1), { contextId: first.contextId });
    const ended = [await getTask(client, first.id), await getTask(client, second.id), third];
    expect(ended.map(state)).toEqual(Array(3).fill(TaskState.TASK_STATE_COMPLETED));
    const times = ended.map(({ status }) => status?.timestamp ?? "");
    expect(times).toEqual([...times].sort());
  });

  it("takes no message while it is at work, and none is written", async () => {
    const { client, host } = agent;
    const task = await sendAndGo(client, lasting(30_000));

    const refusal = await refusalOf(send(client, "more", { taskId: task.id }));

    expect(refusal.code).toBe(-32004);
    expect(await host.store.runs.listByThread(task.contextId)).toHaveLength(1);
    await cancelTask(client, task.id);
  });

  it("is canceled while it works, shows no artifact, and the next one runs", async () => {
    const { client, host } = agent;
    const task = await sendAndGo(client, lasting(30_000));

    const canceled = await cancelTask(client, task.id);

    expect(state(canceled)).toBe(TaskState.TASK_STATE_CANCELED);
    const read = await getTask(client, task.id);
    expect(read).toEqual(canceled);
    expect(read.artifacts).toEqual([]);
    expect(read.history).toHaveLength(1);
    expect(await host.store.runs.get(task.id)).toMatchObject({ status: "cancelled" });
    expect(await refusalOf(cancelTask(client, task.id))).toMatchObject({ code: -32002 });
    const next = await send(client, lasting(1), { contextId: task.contextId });
    expect(state(next)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it("is canceled while it waits, and is not executed", async () => {
    const { client, host } = agent;
    const first = await sendAndGo(client, lasting(30_000));
    const waiting = await sendAndGo(client, lasting(1), { contextId: first.contextId });

    expect(state(await cancelTask(client, waiting.id))).toBe(TaskState.TASK_STATE_CANCELED);
    await cancelTask(client, first.id);

    expect(await host.store.runs.getResult?.(waiting.id)).toBeNull();
    expect(state(await getTask(client, waiting.id))).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it("answers a send that waits for it when somebody cancels it", async () => {
    const { client, host } = agent;
    const { thread_id } = await host.services().threads.create();
    const sent = send(client, lasting(30_000), { contextId: thread_id });
    const run = await expect
      .poll(() => host.store.runs.latestForThread(thread_id))
      .toMatchObject({ status: "running" })
      .then(() => host.store.runs.latestForThread(thread_id));

    await cancelTask(client, String(run?.run_id));

    expect(await sent).toMatchObject({ id: run?.run_id, artifacts: [] });
    expect(state(await sent)).toBe(TaskState.TASK_STATE_CANCELED);
  });
});

describe.each(hostKinds)("a task that asks its caller, on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "ask" });
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  it("shows its question as the message of its status, and no artifact", async () => {
    const { client, host } = agent;
    const task = await send(client, "Ship it");

    const interrupts = (await host.store.runs.getResult?.(task.id))?.interrupts ?? {};
    const [asked] = Object.values(interrupts).flat();
    expect(state(task)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(task.artifacts).toEqual([]);
    expect(task.status?.message).toEqual(
      userMessage("", {
        messageId: `question-${task.id}`,
        contextId: task.contextId,
        taskId: task.id,
        role: Role.ROLE_AGENT,
        parts: [part({ $case: "data", value: { id: asked?.id, value: { question: "Ship it?" } } })],
      }),
    );
    expect(asked?.id).toEqual(expect.any(String));
    expect(await getTask(client, task.id)).toEqual(task);
  });

  it("is canceled once another task has started in its context", async () => {
    const { client } = agent;
    const paused = await send(client, "Ship it");
    const next = await send(client, "Ship that", { contextId: paused.contextId });

    const read = await getTask(client, paused.id);
    expect(state(read)).toBe(TaskState.TASK_STATE_CANCELED);
    expect(read.status?.message).toBeUndefined();
    expect(state(next)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  });
});

it("is served by an agent whose card says what it does not do", async () => {
  const [memory] = hostKinds;
  const place = await memory?.prepare();
  if (!place) throw new Error("There is no host.");
  const { host, url } = await serveAgent(place, { assistantId: "echo" });

  const card = await (await connect(url)).getAgentCard();

  expect(card).toMatchObject({
    name: "echo",
    supportedInterfaces: [
      { url: `${url}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: `${url}/a2a/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url: `${url}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { url: `${url}/a2a/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
  });
  await host.close();
});
