// A task as a stream: the task first, then what changes, in order, and the artifact that is read later.

import { StreamResponse, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import {
  cancelTask,
  connect,
  eventsOf,
  getTask,
  send,
  sendAndGo,
  sendStream,
  stateOf,
  type TransportName,
} from "./client.js";
import { rowsOf, serveAgent, jsonInput, type ServedAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

interface SeenEvent {
  task?: { id: string; contextId: string; status: { state: string } };
  statusUpdate?: { taskId: string; contextId: string; status: { state: string } };
  artifactUpdate?: { taskId: string; artifact: unknown; lastChunk: boolean };
}

/** What each event says, in a word. */
const told = (events: readonly unknown[]): string[] =>
  (events as SeenEvent[]).map(({ task, statusUpdate, artifactUpdate }) => {
    if (artifactUpdate) return "artifact";
    const state = task?.status.state ?? statusUpdate?.status.state ?? "";
    return `${task ? "task" : "status"} ${state.replace("TASK_STATE_", "")}`;
  });

const withoutWorking = (events: readonly unknown[]): string[] =>
  told(events).filter((event) => event !== "status WORKING");

const lasting = (milliseconds: number): string => JSON.stringify({ value: "slow", milliseconds });

describe.each(hostKinds)("on $name", (kind) => {
  describe.each(["JSONRPC", "HTTP+JSON"] as const)("over %s", (transport: TransportName) => {
    let place: HostPlace;
    let agent: ServedAgent;
    let host: Host;
    let client: Client;
    beforeAll(async () => {
      place = await kind.prepare();
      agent = await serveAgent(place, { assistantId: "slow-echo", toInput: jsonInput });
      ({ host } = agent);
      client = await connect(agent.url, transport);
    });
    afterAll(async () => {
      await host.close();
      await place.remove();
    });

    const subscribe = (id: string) => client.resubscribeTask({ tenant: "", id });

    it("a message streams the task, its work, its artifact and its end, as they are read later", async () => {
      const events = (await eventsOf(sendStream(client, lasting(50)))) as SeenEvent[];

      expect(withoutWorking(events)).toEqual(["task SUBMITTED", "artifact", "status COMPLETED"]);
      const id = String(events[0]?.task?.id);
      const read = Task.toJSON(await getTask(client, id)) as {
        contextId: string;
        artifacts: unknown[];
        status: unknown;
      };
      const artifacts = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
      expect(artifacts.map(({ artifact }) => artifact)).toEqual(read.artifacts);
      expect(artifacts[0]).toMatchObject({ taskId: id, lastChunk: true });
      expect(events.at(-1)?.statusUpdate).toMatchObject({
        taskId: id,
        contextId: read.contextId,
        status: read.status as object,
      });
    });

    it("a stream says that the task works while it does", async () => {
      const stream = sendStream(client, lasting(30_000));
      const seen: unknown[] = [];
      for await (const event of stream) {
        seen.push(StreamResponse.toJSON(event));
        const [{ task }] = seen as [SeenEvent];
        if (told(seen).at(-1) === "status WORKING") await cancelTask(client, String(task?.id));
      }
      expect(told(seen)).toEqual(["task SUBMITTED", "status WORKING", "status CANCELED"]);
    });

    it("many subscribers hear the same to the end, those who come late and those who read slowly", async () => {
      const { id } = await sendAndGo(client, lasting(400));
      const slowly = async () => {
        const seen: unknown[] = [];
        for await (const event of subscribe(id)) {
          seen.push(StreamResponse.toJSON(event));
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        return seen;
      };
      const early = Array.from({ length: 8 }, () => eventsOf(subscribe(id)));
      const slow = slowly();
      await expect.poll(async () => stateOf(await getTask(client, id))).toBe("WORKING");
      const late = eventsOf(subscribe(id));

      const all = await Promise.all([...early, slow, late]);

      const ends = all.map((events) => JSON.stringify(events.slice(-2)));
      expect(new Set(ends).size).toBe(1);
      for (const events of all) {
        expect(withoutWorking(events).slice(1)).toEqual(["artifact", "status COMPLETED"]);
        expect(told(events)[0]).toMatch(/^task (SUBMITTED|WORKING)$/);
      }
      expect(told(await late)[0]).toBe("task WORKING");
    });

    it("a subscriber who hangs up cancels nothing and is not kept", async () => {
      const { id } = await sendAndGo(client, lasting(600));
      for await (const event of subscribe(id)) {
        expect(event.payload?.$case).toBe("task");
        break;
      }
      const others = eventsOf(subscribe(id));

      expect(told(await others).slice(-2)).toEqual(["artifact", "status COMPLETED"]);
      expect(stateOf(await getTask(client, id))).toBe("COMPLETED");
    });

    it("a task that is erased ends its streams", async () => {
      const { id } = await sendAndGo(client, lasting(30_000));
      const stream = subscribe(id);
      await stream.next();
      await host.services().runs.delete(id);
      expect((await stream.next()).done ?? false).toBeTypeOf("boolean");
      await eventsOf(stream);
      expect((await refusalOf(getTask(client, id))).code).toBe(-32001);
    });

    it("nothing is streamed of a task that has ended or that nobody knows", async () => {
      // The SDK writes a stream that could not begin to the console.
      const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => undefined);
      const { id } = await send(client, lasting(1));
      const before = await rowsOf(host);

      expect((await refusalOf(eventsOf(subscribe(id)))).code).toBe(-32004);
      expect((await refusalOf(eventsOf(subscribe("unknown")))).code).toBe(-32001);
      const toEnded = sendStream(client, lasting(1), { taskId: id });
      expect((await refusalOf(eventsOf(toEnded))).code).toBe(-32004);
      const empty = sendStream(client, "", { parts: [] });
      expect((await refusalOf(eventsOf(empty))).code).toBe(-32602);

      expect(await rowsOf(host)).toEqual(before);
      console.mockRestore();
    });
  });

  describe("a task that asks", () => {
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

    it("closes its stream at the question, and the answer has a stream of its own", async () => {
      const { client } = agent;
      const asked = (await eventsOf(sendStream(client, "Ship it"))) as SeenEvent[];
      expect(withoutWorking(asked)).toEqual(["task SUBMITTED", "status INPUT_REQUIRED"]);
      const id = String(asked[0]?.task?.id);
      expect(asked.at(-1)?.statusUpdate?.status).toEqual(
        (Task.toJSON(await getTask(client, id)) as { status: unknown }).status,
      );
      const subscribed = client.resubscribeTask({ tenant: "", id });
      const first = await subscribed.next();

      const answered = await eventsOf(sendStream(client, "yes", { taskId: id }));

      expect(withoutWorking(answered)).toEqual(["task SUBMITTED", "artifact", "status COMPLETED"]);
      expect((answered as SeenEvent[])[0]?.task?.id).toBe(id);
      // Who has subscribed to the question hears what becomes of it.
      expect(told([StreamResponse.toJSON(first.value as StreamResponse)])).toEqual([
        "task INPUT_REQUIRED",
      ]);
      const heard = await eventsOf(subscribed);
      expect(heard.slice(-2)).toEqual(answered.slice(-2));
      expect(withoutWorking(heard).filter((event) => event !== "status SUBMITTED")).toEqual([
        "artifact",
        "status COMPLETED",
      ]);
    });

    it.each<[string, (client: Client, id: string, contextId: string) => Promise<unknown>]>([
      ["canceled", (client, id) => cancelTask(client, id)],
      ["passed over", (client, _id, contextId) => send(client, "another", { contextId })],
    ])("tells who has subscribed to its question that it was %s", async (_name, end) => {
      const { client } = agent;
      const { id, contextId } = await send(client, "Ship it");
      const subscribed = client.resubscribeTask({ tenant: "", id });
      await subscribed.next();

      await end(client, id, contextId);

      expect(told(await eventsOf(subscribed))).toEqual(["status CANCELED"]);
    });
  });
});
