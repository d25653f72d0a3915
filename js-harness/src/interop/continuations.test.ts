// A task that asks, and is answered: the same task, another run.

import type { Message } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { A2AAgent } from "../a2a/mount.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import {
  cancelTask,
  connect,
  getTask,
  listTasks,
  part,
  send,
  sendAndGo,
  stateOf,
  wireParts,
  type MessageSettings,
  type TransportName,
} from "./client.js";
import { rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";
import { call, refusalOf } from "./testing/json-rpc.js";

const UNSUPPORTED = -32004;
const INVALID = -32602;

const data = (value: unknown) => part({ $case: "data", value });
const answering = (id: unknown, value: unknown) => data({ id, value });

describe.each(hostKinds)("on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  let host: Host;
  let client: Client;
  beforeAll(async () => {
    place = await kind.prepare();
  });
  afterAll(() => place.remove());

  const serving = (served: A2AAgent, transport?: TransportName) => {
    beforeAll(async () => {
      agent = await serveAgent(place, served);
      ({ host } = agent);
      client = await connect(agent.url, transport);
    });
    afterAll(() => host.close());
  };

  /** The same data, opened anew; a memory host has nothing to open. */
  const reopened = async (served: A2AAgent): Promise<void> => {
    if (!kind.durable) return;
    await host.close();
    agent = await serveAgent(place, served);
    ({ host, client } = agent);
  };

  const interruptsOf = async (taskId: string): Promise<string[]> => {
    const { status } = await getTask(client, taskId);
    return (status?.message?.parts ?? []).map((asked) => {
      const content: unknown = asked.content?.$case === "data" ? asked.content.value : null;
      return String((content as { id: unknown } | null)?.id);
    });
  };
  const answer = (taskId: string, parts: Message["parts"], message: MessageSettings = {}) =>
    send(client, "", { taskId, parts, ...message });

  /** Asserts a refusal that leaves no run behind and the task as it was. */
  const expectRefusal = async (code: number, taskId: string, request: () => Promise<unknown>) => {
    const task = await getTask(client, taskId).catch(() => null);
    const runs = (await rowsOf(host)).runs;
    expect((await refusalOf(request())).code).toBe(code);
    expect((await rowsOf(host)).runs).toEqual(runs);
    expect(await getTask(client, taskId).catch(() => null)).toEqual(task);
  };

  describe.each(["JSONRPC", "HTTP+JSON"] as const)("a question, over %s", (transport) => {
    serving({ assistantId: "ask" }, transport);

    it("is answered in the same task, which keeps its history and gets the artifact", async () => {
      const asked = await send(client, "Ship it");
      expect(stateOf(asked)).toBe("INPUT_REQUIRED");

      const answered = await send(client, "yes", { taskId: asked.id });

      expect(stateOf(answered)).toBe("COMPLETED");
      expect(answered).toMatchObject({ id: asked.id, contextId: asked.contextId });
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it", answer: "yes" } }]);
      expect(answered.history.map((message) => wireTexts(message))).toEqual([["Ship it"], ["yes"]]);
      expect(new Set(answered.history.map(({ messageId }) => messageId)).size).toBe(2);
      expect(answered.history.every(({ taskId }) => taskId === asked.id)).toBe(true);
      expect(answered.status?.message).toBeUndefined();
      const [first, second] = await host.store.runs.listByThread(asked.contextId);
      expect(first).toMatchObject({ run_id: asked.id, status: "interrupted" });
      expect(answered.artifacts[0]?.artifactId).toBe(`result-${String(second?.run_id)}`);
      expect(await getTask(client, asked.id)).toEqual(answered);
      expect((await getTask(client, asked.id, 1)).history).toEqual(answered.history.slice(1));
    });

    it.each<[string, unknown]>([
      ["false", false],
      ["0", 0],
      ["an empty text", ""],
      ["an empty object", {}],
      ["an empty list", []],
      ["a list of nothing", [null]],
      ["an object that looks like a map of answers", { i1: 1 }],
    ])("takes %s as it is", async (_name, value) => {
      const { id } = await send(client, "Ship it");
      const answered = await answer(id, [data(value)]);
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it", answer: value } }]);
    });

    it("takes null for the question that it names", async () => {
      const { id } = await send(client, "Ship it");
      const [interrupt] = await interruptsOf(id);
      const answered = await answer(id, [answering(interrupt, null)]);
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it", answer: null } }]);
    });

    it("takes its context, and refuses another one", async () => {
      const { id, contextId } = await send(client, "Ship it");
      const other = await send(client, "Ship that");
      await expectRefusal(INVALID, id, () =>
        send(client, "yes", { taskId: id, contextId: other.contextId }),
      );
      await expectRefusal(INVALID, id, () =>
        send(client, "yes", { taskId: id, contextId: "unknown" }),
      );
      expect(stateOf(await send(client, "yes", { taskId: id, contextId }))).toBe("COMPLETED");
    });

    it("refuses an answer to what nobody asked", async () => {
      const { id } = await send(client, "Ship it");
      const [interrupt] = await interruptsOf(id);
      await expectRefusal(INVALID, id, () => answer(id, [answering("zz", 1)]));
      const twice = [answering(interrupt, 1), answering(interrupt, 2)];
      await expectRefusal(INVALID, id, () => answer(id, twice));
      await expectRefusal(INVALID, id, () => answer(id, [data(1), data(2)]));
    });

    it("is canceled, and takes no answer any more", async () => {
      const asked = await send(client, "Ship it");

      const canceled = await cancelTask(client, asked.id);

      expect(stateOf(canceled)).toBe("CANCELED");
      expect(canceled.artifacts).toEqual([]);
      expect(canceled.status?.message).toBeUndefined();
      expect((await host.store.runs.get(asked.id))?.status).toBe("cancelled");
      expect(await getTask(client, asked.id)).toEqual(canceled);
      expect((await refusalOf(cancelTask(client, asked.id))).code).toBe(-32002);
      await expectRefusal(UNSUPPORTED, asked.id, () => send(client, "yes", { taskId: asked.id }));
    });

    it("is passed over by another task in its context, in every answer alike", async () => {
      const asked = await send(client, "Ship it");

      const next = await send(client, "Ship that", { contextId: asked.contextId });

      const passed = await getTask(client, asked.id);
      expect(stateOf(passed)).toBe("CANCELED");
      expect(await host.store.runs.get(asked.id)).toMatchObject({
        status: "cancelled",
        updated_at: passed.status?.timestamp,
      });
      const { tasks } = await listTasks(client, { contextId: asked.contextId });
      expect(tasks.map(({ id, status }) => ({ id, status }))).toEqual(
        [next, passed].map(({ id, status }) => ({ id, status })),
      );
      await expectRefusal(UNSUPPORTED, asked.id, () => send(client, "yes", { taskId: asked.id }));
      expect(stateOf(await send(client, "yes", { taskId: next.id }))).toBe("COMPLETED");
    });

    it("is answered once by ten who answer at the same time", async () => {
      const { id, contextId } = await send(client, "Ship it");

      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_, place) => send(client, `yes ${place}`, { taskId: id })),
      );

      const taken = answers.filter(({ status }) => status === "fulfilled");
      expect(taken).toHaveLength(1);
      expect(await host.store.runs.listByThread(contextId)).toHaveLength(2);
      expect((await getTask(client, id)).history).toHaveLength(2);
    });
  });

  describe("a question", () => {
    const served = { assistantId: "ask" };
    serving(served);

    it("is answered after everything was closed and opened, and reads the same to the byte", async () => {
      const { id } = await send(client, "Ship it");
      const read = async () => (await call(agent.url, "GetTask", { id })).text;
      const asked = await read();
      await reopened(served);
      expect(await read()).toBe(asked);

      await send(client, "yes", { taskId: id });
      const answered = await read();
      await reopened(served);

      expect(await read()).toBe(answered);
      expect(answered).toContain('"answer":"yes"');
    });

    it("is refused an answer when its checkpoint is gone", async () => {
      const { id, contextId } = await send(client, "Ship it");
      await host.saver.deleteThread(contextId);
      await expectRefusal(UNSUPPORTED, id, () => send(client, "yes", { taskId: id }));
    });

    it("is refused an answer when its state has changed", async () => {
      const { id, contextId } = await send(client, "Ship it");
      await host.services().threads.updateState(contextId, { values: { value: "Sink it" } });
      await expectRefusal(UNSUPPORTED, id, () => send(client, "yes", { taskId: id }));
    });

    it("is answered after a prune that keeps the latest checkpoint", async () => {
      const { id, contextId } = await send(client, "Ship it");
      await host.services().threads.prune({ thread_ids: [contextId], strategy: "keep_latest" });
      expect(stateOf(await send(client, "yes", { taskId: id }))).toBe("COMPLETED");
    });

    it("is asked twice in a copied thread, and each is answered for itself", async () => {
      const { id, contextId } = await send(client, "Ship it");
      const copy = await host.services().threads.copy(contextId);
      const [twin] = await host.store.runs.listByThread(copy.thread_id);
      const twinId = String(twin?.run_id);
      expect(stateOf(await getTask(client, twinId))).toBe("INPUT_REQUIRED");

      const answered = await send(client, "yes", { taskId: id });
      expect(stateOf(await getTask(client, twinId))).toBe("INPUT_REQUIRED");
      const other = await send(client, "no", { taskId: twinId });

      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it", answer: "yes" } }]);
      expect(wireParts(other)).toEqual([{ data: { value: "Ship it", answer: "no" } }]);
      expect(other.contextId).toBe(copy.thread_id);
    });

    it("is copied with its answer, as one task", async () => {
      const { id, contextId } = await send(client, "Ship it");
      const answered = await send(client, "yes", { taskId: id });

      const copy = await host.services().threads.copy(contextId);

      const [twin] = await host.store.runs.listByThread(copy.thread_id);
      const copied = await getTask(client, String(twin?.run_id));
      expect(wireParts(copied)).toEqual(wireParts(answered));
      expect(copied.history.map(wireTexts)).toEqual([["Ship it"], ["yes"]]);
      expect(copied.history.every((message) => message.contextId === copy.thread_id)).toBe(true);
      const { tasks } = await listTasks(client, { contextId: copy.thread_id });
      expect(tasks.map((task) => task.id)).toEqual([copied.id]);
    });

    it("is no task any more when its first run is erased, and neither is its answer's run", async () => {
      const { id, contextId } = await send(client, "Ship it");
      await send(client, "yes", { taskId: id });
      const [, second] = await host.store.runs.listByThread(contextId);

      await host.services().runs.delete(id);

      for (const gone of [id, String(second?.run_id)]) {
        expect((await refusalOf(getTask(client, gone))).code).toBe(-32001);
      }
      expect((await listTasks(client, { contextId })).tasks).toEqual([]);
      expect(await host.store.runs.get(String(second?.run_id))).toMatchObject({
        status: "success",
      });
    });

    it("is not read by the id of its answer's run", async () => {
      const { id, contextId } = await send(client, "Ship it");
      await send(client, "yes", { taskId: id });
      const [, second] = await host.store.runs.listByThread(contextId);
      expect((await refusalOf(getTask(client, String(second?.run_id)))).code).toBe(-32001);
    });
  });

  describe("two questions at the same time", () => {
    serving({ assistantId: "ask-two" });

    it("are answered by name, together or one by one", async () => {
      const together = await send(client, "Ship it");
      const [left, right] = await interruptsOf(together.id);
      const both = await answer(together.id, [answering(right, "r"), answering(left, "l")]);
      expect(stateOf(both)).toBe("COMPLETED");
      expect(wireParts(both)).toEqual([
        {
          data: {
            value: "Ship it",
            answers: [
              ["left", "l"],
              ["right", "r"],
            ],
          },
        },
      ]);

      const single = await send(client, "Ship it");
      const [first] = await interruptsOf(single.id);
      const half = await answer(single.id, [answering(first, false)]);
      expect(stateOf(half)).toBe("INPUT_REQUIRED");
      const [rest, ...none] = await interruptsOf(single.id);
      expect(none).toEqual([]);
      expect(rest).not.toBe(first);
      await expectRefusal(INVALID, single.id, () => answer(single.id, [answering(first, true)]));
      const whole = await answer(single.id, [answering(rest, 0)]);
      expect(JSON.stringify(wireParts(whole))).toContain("false");
      expect(whole.history).toHaveLength(3);
    });

    it("are not answered by one value, by a stranger's name, or twice", async () => {
      const { id } = await send(client, "Ship it");
      const [left, right] = await interruptsOf(id);
      await expectRefusal(INVALID, id, () => answer(id, [data("yes")]));
      await expectRefusal(INVALID, id, () => send(client, "yes", { taskId: id }));
      await expectRefusal(INVALID, id, () => answer(id, [answering(left, 1), answering("zz", 2)]));
      await expectRefusal(INVALID, id, () => answer(id, [answering(left, 1), answering(left, 2)]));
      await expectRefusal(INVALID, id, () => answer(id, [answering(left, 1), data("yes")]));
      expect(stateOf(await answer(id, [answering(left, 1), answering(right, 2)]))).toBe(
        "COMPLETED",
      );
    });
  });

  describe("a second question", () => {
    serving({ assistantId: "ask-twice" });

    it("is not answered by an answer to the first, and can still be answered", async () => {
      const { id } = await send(client, "Ship it");
      const [first] = await interruptsOf(id);
      const again = await answer(id, [answering(first, "one")]);
      expect(stateOf(again)).toBe("INPUT_REQUIRED");
      const [second] = await interruptsOf(id);
      expect(second).not.toBe(first);

      await expectRefusal(INVALID, id, () => answer(id, [answering(first, "late")]));

      const answered = await answer(id, [answering(second, "two")]);
      expect(wireParts(answered)).toEqual([
        {
          data: {
            value: "Ship it",
            answers: [
              ["first", "one"],
              ["second", "two"],
            ],
          },
        },
      ]);
      expect(answered.history).toHaveLength(3);
    });
  });

  describe("a question of a subgraph", () => {
    const served = { assistantId: "with-subgraph" };
    serving(served);

    it("is answered, after reopening too", async () => {
      const { id } = await send(client, "Ship it");
      await reopened(served);
      const answered = await send(client, "yes", { taskId: id });
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it or not", answer: "yes" } }]);
    });
  });

  describe("a breakpoint", () => {
    const served: A2AAgent = { assistantId: "with-subgraph", interruptBefore: ["prepare"] };
    serving(served);

    it("waits without a question, takes any message, and refuses a named answer", async () => {
      const paused = await send(client, "Ship it");
      expect(stateOf(paused)).toBe("INPUT_REQUIRED");
      expect(paused.status?.message).toBeUndefined();
      await reopened(served);
      await expectRefusal(INVALID, paused.id, () => answer(paused.id, [answering("zz", 1)]));

      const asked = await send(client, "go on", { taskId: paused.id });

      expect(stateOf(asked)).toBe("INPUT_REQUIRED");
      expect(asked.status?.message?.parts).toHaveLength(1);
      const answered = await send(client, "yes", { taskId: paused.id });
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it or not", answer: "yes" } }]);
      expect(answered.history).toHaveLength(3);
    });
  });

  describe("a task that works", () => {
    serving({
      assistantId: "slow-echo",
      toInput: () => ({ value: "slow", milliseconds: 30_000 }),
    });

    it("takes no message, and another task of its context waits behind it", async () => {
      const working = await sendAndGo(client, "slow");
      await expect.poll(async () => stateOf(await getTask(client, working.id))).toBe("WORKING");
      await expectRefusal(UNSUPPORTED, working.id, () =>
        send(client, "more", { taskId: working.id }),
      );

      const waiting = await sendAndGo(client, "slow", { contextId: working.contextId });
      expect(stateOf(await getTask(client, waiting.id))).toBe("SUBMITTED");
      await expectRefusal(UNSUPPORTED, waiting.id, () =>
        send(client, "more", { taskId: waiting.id }),
      );
      for (const { id } of [waiting, working]) await cancelTask(client, id);
    });
  });
});

function wireTexts({ parts }: Message): string[] {
  return parts.map(({ content }) => (content?.$case === "text" ? content.value : ""));
}
