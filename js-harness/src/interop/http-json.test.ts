// The official client over HTTP+JSON: what other files show over JSON-RPC, point by point.

import { Role } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import {
  cancelTask,
  connect,
  getTask,
  part,
  send,
  sendAndGo,
  sendMessage,
  stateOf,
  userMessage,
  wireParts,
  type MessageSettings,
} from "./client.js";
import { jsonInput, rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

const ECHO = { assistantId: "slow-echo", toInput: jsonInput };
const saying = (value: string, milliseconds = 0): string => JSON.stringify({ value, milliseconds });

describe.each(hostKinds)("over HTTP+JSON on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  let host: Host;
  let client: Client;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, ECHO);
    ({ host } = agent);
    client = await connect(agent.url, "HTTP+JSON");
  });
  afterAll(async () => {
    await host.close();
    await place.remove();
  });

  it("a send waits for the end, or answers at once", async () => {
    const done = await send(client, saying("first", 20));
    expect(stateOf(done)).toBe("COMPLETED");
    expect(wireParts(done)).toEqual([{ data: { value: "echo: first", milliseconds: 20 } }]);
    const begun = await sendAndGo(client, saying("second", 30_000));
    expect(stateOf(begun)).toMatch(/^(SUBMITTED|WORKING)$/);
    expect(stateOf(await cancelTask(client, begun.id))).toBe("CANCELED");
  });

  it("the first answer stays after another turn", async () => {
    const first = await send(client, saying("first"));
    await send(client, saying("second"), { contextId: first.contextId });
    const read = await getTask(client, first.id);
    expect(wireParts(read)).toEqual(wireParts(first));
    expect(read).toEqual(await getTask(agent.client, first.id));
    expect(read.status?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("a history is as long as it is asked for", async () => {
    const { id } = await send(client, saying("hello"));
    const lengthOf = async (wanted?: number) => (await getTask(client, id, wanted)).history.length;
    expect([await lengthOf(), await lengthOf(0), await lengthOf(1), await lengthOf(9)]).toEqual([
      1, 0, 1, 1,
    ]);
    const none = await sendMessage(client, userMessage(saying("x")), { historyLength: 0 });
    expect(none.history).toEqual([]);
    expect((await refusalOf(getTask(client, id, -1))).code).toBe(-32602);
  });

  it("a task that was canceled while it worked stays so and has no artifact", async () => {
    const { id } = await sendAndGo(client, saying("slow", 30_000));
    await expect.poll(async () => stateOf(await getTask(client, id))).toBe("WORKING");
    const canceled = await cancelTask(client, id);
    expect(canceled).toMatchObject({ id, artifacts: [] });
    expect(await getTask(client, id)).toEqual(canceled);
    expect((await refusalOf(cancelTask(client, id))).code).toBe(-32002);
  });

  it.each<[string, number, MessageSettings]>([
    ["without a messageId", -32602, { messageId: "" }],
    ["without parts", -32602, { parts: [] }],
    ["of the agent's own", -32602, { role: Role.ROLE_AGENT }],
    ["with NUL in its text", -32602, { parts: [part({ $case: "text", value: "a\0b" })] }],
    ["to a task that is unknown", -32001, { taskId: "unknown" }],
    ["with a link to a file", -32005, { parts: [part({ $case: "url", value: "https://a.test" })] }],
  ])("a message %s is refused, and nothing is created", async (_name, code, settings) => {
    const before = await rowsOf(host);
    expect((await refusalOf(send(client, saying("x"), settings))).code).toBe(code);
    expect(await rowsOf(host)).toEqual(before);
  });

  it("a task that has ended takes no message, and its context takes another task", async () => {
    const done = await send(client, saying("first"));
    const refusal = await refusalOf(send(client, saying("x"), { taskId: done.id }));
    expect(refusal.code).toBe(-32004);
    expect(await getTask(client, done.id)).toEqual(done);
    const next = await send(client, saying("second"), { contextId: done.contextId });
    expect(next.id).not.toBe(done.id);
  });

  it("what is off says so", async () => {
    const { id } = await send(client, saying("first"));
    const rest = (path: string, init: RequestInit = {}) =>
      fetch(`${agent.url}/a2a/rest/${path}`, {
        ...init,
        headers: { "a2a-version": "1.0", "content-type": "application/json" },
      });
    const push = await rest(`tasks/${id}/pushNotificationConfigs`, {
      method: "POST",
      body: JSON.stringify({ id: "config", url: "https://receiver.test" }),
    });
    expect(push.ok).toBe(false);
    expect(await push.text()).toContain("PUSH_NOTIFICATION_NOT_SUPPORTED");
    const response = await rest("extendedAgentCard");
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("UNSUPPORTED_OPERATION");
  });

  it("a body that is too large or no JSON is refused in the protocol's own form", async () => {
    const post = (body: string) =>
      fetch(`${agent.url}/a2a/rest/message:send`, {
        method: "POST",
        headers: { "content-type": "application/a2a+json", "a2a-version": "1.0" },
        body,
      });
    const broken = await post("{");
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: 400 } }]);
    const large = await post(`"${"x".repeat(51 * 1024 * 1024)}"`);
    expect([large.status, await large.json()]).toMatchObject([413, { error: { code: 413 } }]);
  });
});
