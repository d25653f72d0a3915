// Contexts: issued by the server, threads that the caller has created, and names that a client chooses.

import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import { connect, getTask, listTasks, send, wireParts, type TransportName } from "./client.js";
import { serveAgent } from "./testing/agent.js";

describe.each(hostKinds)("a context on $name", (kind) => {
  describe.each(["JSONRPC", "HTTP+JSON"] as const)("over %s", (transport: TransportName) => {
    let place: HostPlace;
    let host: Host;
    let client: Client;
    beforeAll(async () => {
      place = await kind.prepare();
      const served = await serveAgent(place, { assistantId: "echo" });
      ({ host } = served);
      client = await connect(served.url, transport);
    });
    afterAll(async () => {
      await host.close();
      await place.remove();
    });

    it("that the client names is kept under that name", async () => {
      const contextId = `talk-${transport}`;
      const first = await send(client, "first", { contextId });
      const second = await send(client, "second", { contextId });

      expect([first.contextId, second.contextId]).toEqual([contextId, contextId]);
      expect(first.history[0]?.contextId).toBe(contextId);
      expect(second.id).not.toBe(first.id);
      const [one, two] = await Promise.all(
        [first, second].map(({ id }) => host.store.runs.get(id)),
      );
      expect(two?.thread_id).toBe(one?.thread_id);
      expect((await listTasks(client, { contextId })).tasks.map(({ id }) => id)).toEqual([
        second.id,
        first.id,
      ]);
      expect(wireParts(await getTask(client, first.id))).toEqual([
        { data: { value: "echo: first" } },
      ]);
    });

    it("that several messages name at the same time is one", async () => {
      const contextId = `crowd-${transport}`;
      const tasks = await Promise.all(
        Array.from({ length: 8 }, (_, place) => send(client, `hello ${place}`, { contextId })),
      );
      const runs = await Promise.all(tasks.map(({ id }) => host.store.runs.get(id)));
      expect(new Set(runs.map((run) => run?.thread_id)).size).toBe(1);
    });

    it("is a thread that the caller has created, whatever its id looks like", async () => {
      const thread_id = `my/thread ${transport} №1`;
      await host.services().threads.create({ thread_id });
      const task = await send(client, "hello", { contextId: thread_id });
      expect(task.contextId).toBe(thread_id);
      expect((await host.store.runs.get(task.id))?.thread_id).toBe(thread_id);
    });

    it("that is copied is known by its own id, and the name stays with the first", async () => {
      const contextId = `original-${transport}`;
      const task = await send(client, "hello", { contextId });
      const threadId = String((await host.store.runs.get(task.id))?.thread_id);

      const copy = await host.services().threads.copy(threadId);

      const { tasks } = await listTasks(client, { contextId: copy.thread_id });
      expect(tasks.map((copied) => copied.contextId)).toEqual([copy.thread_id]);
      expect((await listTasks(client, { contextId })).tasks.map(({ id }) => id)).toEqual([task.id]);
      const next = await send(client, "again", { contextId });
      expect((await host.store.runs.get(next.id))?.thread_id).toBe(threadId);
    });

    it("that was deleted starts empty under the same name", async () => {
      const contextId = `gone-${transport}`;
      const first = await send(client, "first", { contextId });
      const threadId = String((await host.store.runs.get(first.id))?.thread_id);
      await host.services().threads.delete(threadId);

      const second = await send(client, "second", { contextId });

      expect(second.contextId).toBe(contextId);
      expect((await listTasks(client, { contextId })).tasks.map(({ id }) => id)).toEqual([
        second.id,
      ]);
    });
  });
});
