// Callers of the A2A endpoint: a task and a context of somebody else's are unknown ones.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bearerTokens } from "../auth/caller.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";
import { rowsOf } from "../interop/testing/agent.js";
import { post } from "../interop/testing/json-rpc.js";

import { a2aMount } from "./mount.js";

const authenticate = bearerTokens({
  ann: { tenant: "acme", user: "ann", access: "write" },
  "ann-reading": { tenant: "acme", user: "ann", access: "read" },
  bob: { tenant: "acme", user: "bob", access: "write" },
  "ann-elsewhere": { tenant: "globex", user: "ann", access: "write" },
});

interface Task {
  id: string;
  contextId: string;
}

describe.each(hostKinds)("the A2A endpoint of a host on $name", (kind) => {
  let place: HostPlace;
  let host: Host;
  let url: string;
  let task: Task;
  beforeAll(async () => {
    place = await kind.prepare();
    host = await place.open({ authenticate, mount: a2aMount({ assistantId: "echo" }) });
    ({ url } = await host.listen());
    task = await sent("ann", { text: "secret" });
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  const call = async (token: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return post(url, body, { authorization: `Bearer ${token}` });
  };
  interface Sending {
    text: string;
    taskId?: string;
    contextId?: string;
    tenant?: string;
    metadata?: object;
  }
  const send = (token: string, { text, tenant, ...message }: Sending) =>
    call(token, "SendMessage", {
      ...(tenant === undefined ? {} : { tenant }),
      message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...message },
    });
  const sent = async (token: string, sending: Sending): Promise<Task> => {
    const { text, body } = await send(token, sending);
    const { task: found } = (body.result ?? {}) as { task?: Task };
    if (!found) throw new Error(text);
    return found;
  };
  const error = async (answer: Promise<{ body: { error?: object }; text: string }>) => {
    const { body, text } = await answer;
    expect(body, text).toHaveProperty("error");
    expect(text).not.toContain("secret");
    return body.error;
  };

  it("answers the owner, and stamps thread and run with the owner", async () => {
    const { body } = await call("ann", "GetTask", { id: task.id });
    const owner = { tenant: "acme", user: "ann" };

    expect(body.result).toMatchObject({ id: task.id, contextId: task.contextId });
    expect(JSON.stringify(body.result)).toContain("echo: secret");
    expect(await host.store.runs.get(task.id)).toMatchObject({ metadata: { owner } });
    expect(await host.store.threads.get(task.contextId)).toMatchObject({ metadata: { owner } });
    expect(await sent("ann", { text: "more", contextId: task.contextId })).toMatchObject({
      contextId: task.contextId,
    });
  });

  it("refuses whoever is nobody with 401, and shows them the card", async () => {
    const before = await rowsOf(host);
    for (const headers of [{}, { authorization: "Bearer nobody" }, { authorization: "ann" }]) {
      const answer = await fetch(`${url}/a2a`, {
        method: "POST",
        headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: task.id } }),
      });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }

    expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(200);
    expect(await rowsOf(host)).toEqual(before);
  });

  describe.each(["bob", "ann-elsewhere"])("for %s", (stranger) => {
    it.each(["GetTask", "CancelTask", "SubscribeToTask"])(
      "answers %s as for an unknown task",
      async (method) => {
        const foreign = await error(call(stranger, method, { id: task.id }));

        expect(foreign).toEqual(await error(call(stranger, method, { id: crypto.randomUUID() })));
      },
    );

    it("lists nothing of somebody else's, in whichever context", async () => {
      await sent(stranger, { text: "mine" });
      for (const place of [{}, { contextId: task.contextId }, { contextId: crypto.randomUUID() }]) {
        const { body, text } = await call(stranger, "ListTasks", { ...place, pageSize: 100 });
        const { tasks } = body.result as { tasks: Task[] };
        expect(text).not.toContain("secret");
        expect(tasks.filter(({ id }) => id === task.id)).toEqual([]);
        if ("contextId" in place) expect(tasks).toEqual([]);
      }
    });

    it("streams into no task of somebody else's, and says so as for an unknown one", async () => {
      const before = await rowsOf(host);
      const streamed = (taskId: string) =>
        error(
          call(stranger, "SendStreamingMessage", {
            message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], taskId },
          }),
        );
      expect(await streamed(task.id)).toEqual(await streamed(crypto.randomUUID()));
      expect(await rowsOf(host)).toEqual(before);
    });

    it("continues no task of somebody else's, and says so as for an unknown one", async () => {
      const before = await rowsOf(host);
      const { id: taskId, contextId } = task;
      const own = await sent(stranger, { text: "mine" });
      const unknown = crypto.randomUUID();

      for (const place of [{}, { contextId }, { contextId: own.contextId }]) {
        const foreign = await error(send(stranger, { text: "x", taskId, ...place }));
        const none = await error(send(stranger, { text: "x", taskId: unknown, ...place }));
        expect(foreign).toEqual(none);
      }

      const after = await rowsOf(host);
      expect(after.runs.filter((id) => id !== own.id)).toEqual(before.runs);
    });

    it("does not get into a context of somebody else's, and cannot tell it from a new one", async () => {
      const theirs = async () => [
        await host.store.threads.get(task.contextId),
        await host.store.runs.listByThread(task.contextId),
        (await call("ann", "GetTask", { id: task.id })).text,
      ];
      const before = await theirs();
      const shape = ({ text }: { text: string }, ...names: string[]) =>
        names
          .reduce((shown, name) => shown.replaceAll(name, "ID"), text)
          .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID")
          .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
      const unknown = crypto.randomUUID();

      const [foreign, fresh] = [
        await send(stranger, { text: "x", contextId: task.contextId }),
        await send(stranger, { text: "x", contextId: unknown }),
      ];

      expect(shape(foreign, task.contextId)).toBe(shape(fresh, unknown));
      expect((foreign.body.result as { task: Task }).task.contextId).toBe(task.contextId);
      expect(await theirs()).toEqual(before);
      // The name is the stranger's own from then on.
      const again = await sent(stranger, { text: "y", contextId: task.contextId });
      const first = (foreign.body.result as { task: Task }).task;
      const [one, two] = await Promise.all(
        [first.id, again.id].map((id) => host.store.runs.get(id)),
      );
      expect(two?.thread_id).toBe(one?.thread_id);
      expect(two?.thread_id).not.toBe(task.contextId);
    });

    it("names no owner, lineage or mark in a message that changes whose it is", async () => {
      const owner = { tenant: "acme", user: "ann" };
      const metadata = { owner, root: task.id, $skein_task: { v: 1, root: task.id, turn: 1 } };

      const own = await sent(stranger, { text: "mine", metadata });

      expect(own.id).not.toBe(task.id);
      expect((await host.store.runs.get(own.id))?.metadata).not.toMatchObject({ owner });
      expect(await error(call("ann", "GetTask", { id: own.id }))).toMatchObject({ code: -32001 });
    });
  });

  it("gives a caller who names another tenant nothing, not even their own", async () => {
    const before = await rowsOf(host);
    const tenant = "globex";

    const own = await error(call("ann", "GetTask", { tenant, id: task.id }));
    expect(own).toEqual(await error(call("ann", "GetTask", { tenant, id: crypto.randomUUID() })));
    const created = await error(send("ann", { text: "x", tenant }));
    expect(created).toMatchObject({ code: -32602 });
    const entered = await error(send("ann", { text: "x", tenant, contextId: task.contextId }));
    expect(entered).toMatchObject({ code: -32602 });

    expect(await rowsOf(host)).toEqual(before);
    const named = await call("ann", "GetTask", { tenant: "acme", id: task.id });
    expect(named.body.result).toMatchObject({ id: task.id });
  });

  it.each([[5], [true], [{}], [["globex"]], [[["globex"]]], ["\u0000"], ["\ud800"]])(
    "gives a caller who names a tenant that is none nothing (%j)",
    async (tenant) => {
      const before = await rowsOf(host);
      const none = { code: -32001 };

      expect(await error(call("ann", "GetTask", { tenant, id: task.id }))).toMatchObject(none);
      const { body, text } = await call("ann", "ListTasks", { tenant });
      expect(body.result, text).toMatchObject({ tasks: [], totalSize: 0 });
      const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };
      const created = await error(call("ann", "SendMessage", { tenant, message }));
      expect(created).toMatchObject({ code: -32602 });

      expect(await rowsOf(host)).toEqual(before);
    },
  );

  it("gives a caller who names another tenant nothing of their namesake in it", async () => {
    const tenant = "acme";
    const own = await sent("ann-elsewhere", { text: "mine" });
    const before = await rowsOf(host);
    const unknown = crypto.randomUUID();
    const { id, contextId } = task;

    for (const method of ["GetTask", "CancelTask", "SubscribeToTask"]) {
      const foreign = await error(call("ann-elsewhere", method, { tenant, id }));
      expect(foreign).toEqual(await error(call("ann-elsewhere", method, { tenant, id: unknown })));
    }
    for (const place of [{}, { contextId }]) {
      const { body, text } = await call("ann-elsewhere", "ListTasks", { tenant, ...place });
      expect(body.result, text).toMatchObject({ tasks: [], totalSize: 0 });
    }
    const continued = await error(send("ann-elsewhere", { text: "x", tenant, taskId: id }));
    expect(continued).toMatchObject({ code: -32001 });
    const headers = { authorization: "Bearer ann-elsewhere", "a2a-version": "1.0" };
    const read = (path: string) => fetch(`${url}/a2a/rest/${tenant}/${path}`, { headers });
    expect((await read(`tasks/${id}`)).status).toBe(404);
    expect(await (await read("tasks")).json()).toMatchObject({ tasks: [] });

    expect(await rowsOf(host)).toEqual(before);
    const there = await call("ann-elsewhere", "GetTask", { tenant: "globex", id: own.id });
    expect(there.body.result).toMatchObject({ id: own.id });
  });

  it("lets somebody who may only read read, and nothing else", async () => {
    const before = await rowsOf(host);

    const { body } = await call("ann-reading", "GetTask", { id: task.id });
    expect(body.result).toMatchObject({ id: task.id });
    const list = await call("ann-reading", "ListTasks", { pageSize: 100 });
    expect(list.text).toContain(task.id);
    const refusals = [
      send("ann-reading", { text: "x" }),
      send("ann-reading", { text: "x", contextId: task.contextId }),
      send("ann-reading", { text: "x", contextId: crypto.randomUUID() }),
    ];
    for (const refusal of refusals) {
      expect(await error(refusal)).toMatchObject({ code: -32004 });
    }

    expect(await rowsOf(host)).toEqual(before);
  });
});
