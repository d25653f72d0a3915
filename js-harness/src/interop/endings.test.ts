// How tasks end when something is in the way: a cancellation that races the end, a result that JSON
// cannot carry, a graph that fails.

import { TaskState, type Task } from "@a2a-js/sdk";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { replyWith } from "../engine/declared-reply.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { Gate, inTwoSteps, withRuns } from "../engine/testing/store-wrappers.js";
import { openHost } from "../host.js";
import type { SkeinStore } from "../stores/contract.js";
import { openMemoryStore } from "../stores/memory.js";

import { cancelTask, getTask, send, sendAndGo, wireParts } from "./client.js";
import { jsonInput, serveAgent, type ServedAgent } from "./testing/agent.js";
import { call, refusalOf } from "./testing/json-rpc.js";

const state = (task: Task): TaskState | undefined => task.status?.state;

describe("a cancellation that races the end of a task", () => {
  const served: ServedAgent[] = [];
  const gates: Gate[] = [];
  afterEach(async () => {
    // A test that failed half way has left them shut, and a host waits for its runs.
    for (const gate of gates.splice(0)) gate.open();
    for (const { host } of served.splice(0)) await host.close();
  });

  function newGate(): Gate {
    const gate = new Gate();
    gates.push(gate);
    return gate;
  }

  async function serveOver(store: SkeinStore): Promise<ServedAgent> {
    const open = (settings: object) => openHost({ ...settings, store, saver: new MemorySaver() });
    const agent = await serveAgent({ open }, { assistantId: "echo" });
    served.push(agent);
    return agent;
  }

  /** Holds up the one write that ends a run. */
  const heldBeforeTheEnd = (gate: Gate): SkeinStore =>
    withRuns(openMemoryStore().store, (runs) => ({
      settleRun: async (runId, settle) => {
        await gate.pass();
        return (await runs.settleRun?.(runId, settle)) ?? null;
      },
    }));

  /** Holds up a store of two steps between them: the result is recorded, the status is not. */
  const heldBetweenTheSteps = (gate: Gate): SkeinStore =>
    withRuns(inTwoSteps(openMemoryStore().store), (runs) => ({
      recordResult: async (runId, result) => {
        await runs.recordResult?.(runId, result);
        await gate.pass();
      },
    }));

  it.each([
    ["before the one write of its end", heldBeforeTheEnd, false],
    ["between the two writes of its end", heldBetweenTheSteps, true],
  ])("wins %s: no artifact is ever shown", async (_name, held, isCaptured) => {
    const gate = newGate();
    const { client, host } = await serveOver(held(gate));
    const task = await sendAndGo(client, "first");
    await gate.reached;

    const canceled = await cancelTask(client, task.id);
    gate.open();
    // A run that waits its turn on the thread begins when the first one has let go.
    await send(client, "second", { contextId: task.contextId });

    expect(state(canceled)).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await host.store.runs.getResult?.(task.id)) !== null).toBe(isCaptured);
    expect(await getTask(client, task.id)).toEqual(canceled);
    expect(canceled.artifacts).toEqual([]);
  });

  it("loses if the run ends on the way: it is refused, and the task is completed", async () => {
    const gate = newGate();
    const store = withRuns(openMemoryStore().store, (runs) => ({
      cancelRun: async (runId) => {
        await gate.pass();
        return (await runs.cancelRun?.(runId)) ?? null;
      },
    }));
    const ending = newGate();
    const slow = withRuns(store, (runs) => ({
      settleRun: async (runId, settle) => {
        await ending.pass();
        return (await runs.settleRun?.(runId, settle)) ?? null;
      },
    }));
    const { client, host } = await serveOver(slow);
    const task = await sendAndGo(client, "first");

    const canceling = refusalOf(cancelTask(client, task.id));
    await gate.reached;
    ending.open();
    await host.services().runs.wait(task.id);
    gate.open();

    expect(await canceling).toMatchObject({ code: -32002 });
    const read = await getTask(client, task.id);
    expect(state(read)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(wireParts(read)).toEqual([{ data: { value: "echo: first" } }]);
  });

  it("finds no task if the run is erased on the way", async () => {
    const gate = newGate();
    const held = withRuns(openMemoryStore().store, (runs) => {
      let reads = 0;
      return {
        taskPage: async (query) => {
          const page = await runs.taskPage?.(query);
          // The first read is that of the cancellation.
          if ((reads += 1) === 1) await gate.pass();
          return page ?? { tasks: [], total: null };
        },
      };
    });
    const ending = newGate();
    const { client, host } = await serveOver(
      withRuns(held, (runs) => ({
        settleRun: async (runId, settle) => {
          await ending.pass();
          return (await runs.settleRun?.(runId, settle)) ?? null;
        },
      })),
    );
    const { thread_id } = await host.services().threads.create();
    const sent = refusalOf(send(client, "first", { contextId: thread_id }));
    await ending.reached;
    const [run] = await host.store.runs.listByThread(thread_id);

    const canceling = refusalOf(cancelTask(client, String(run?.run_id)));
    await gate.reached;
    await host.services().runs.delete(String(run?.run_id));
    gate.open();
    ending.open();

    expect(await canceling).toMatchObject({ code: -32001 });
    expect(await sent).toMatchObject({ code: -32001 });
  });
});

const State = Annotation.Root({ value: Annotation<string> });

/** Echoes, and declares a reply that JSON cannot carry where it is told to. */
const treacherous = new StateGraph(State)
  .addNode("answer", ({ value }, { writer }) => {
    if (value === "bigint") writer(replyWith({ secret: "canary-value", n: 1n }));
    if (value === "throw") throw new Error("The graph gave up.");
    return { value: `echo: ${value}` };
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);

describe.each(hostKinds)("a task that fails, on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "treacherous" }, { graphs: { treacherous } });
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  it("shows why its result could not be kept and no artifact, and the next task works", async () => {
    const { client, url } = agent;

    const failed = await send(client, "bigint");
    const next = await send(client, "next", { contextId: failed.contextId });

    expect(state(failed)).toBe(TaskState.TASK_STATE_FAILED);
    expect(failed.status?.message?.parts[0]?.content).toMatchObject({
      $case: "text",
      value: expect.stringMatching(/reply/) as unknown,
    });
    const { text } = await call(url, "GetTask", { id: failed.id });
    expect(text).not.toContain('"artifacts"');
    expect(text).not.toContain("canary-value");
    expect(state(next)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(wireParts(next)).toEqual([{ data: { value: "echo: next" } }]);
    expect(await getTask(client, failed.id)).toEqual(failed);
  });

  it("shows what its graph threw and no artifact, and the next task works", async () => {
    const { client } = agent;

    const failed = await send(client, "throw");
    const next = await send(client, "next", { contextId: failed.contextId });

    expect(state(failed)).toBe(TaskState.TASK_STATE_FAILED);
    expect(failed.artifacts).toEqual([]);
    expect(failed.status?.message?.parts[0]?.content).toEqual({
      $case: "text",
      value: "The graph gave up.",
    });
    expect(wireParts(next)).toEqual([{ data: { value: "echo: next" } }]);
  });

  it("is ended: no message goes to it, and it cannot be canceled", async () => {
    const { client } = agent;
    const failed = await send(client, "throw");

    expect(await refusalOf(send(client, "more", { taskId: failed.id }))).toMatchObject({
      code: -32004,
    });
    expect(await refusalOf(cancelTask(client, failed.id))).toMatchObject({ code: -32002 });
  });
});

it("a task that ran out of time has failed, and shows no artifact", async () => {
  const [memory] = hostKinds;
  const place = await memory?.prepare();
  if (!place) throw new Error("There is no host.");
  const slow = { assistantId: "slow-echo", toInput: jsonInput };
  const { client, host } = await serveAgent(place, slow, { runTimeoutMs: 50 });

  const task = await send(client, JSON.stringify({ value: "slow" }));

  expect(state(task)).toBe(TaskState.TASK_STATE_FAILED);
  expect(task.artifacts).toEqual([]);
  expect(await host.store.runs.get(task.id)).toMatchObject({ status: "timeout" });
  await host.close();
});
