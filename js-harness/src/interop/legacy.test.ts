// Clients of protocol 0.3, by the SDK's own legacy layer.

import { ClientFactory, ClientFactoryOptions, type Client } from "@a2a-js/sdk/client";
import { LegacyJsonRpcTransport, LegacyRestTransport } from "@a2a-js/sdk/compat/v0_3/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import type { Host } from "../host.js";

import {
  cancelTask,
  connect,
  eventsOf,
  getTask,
  send,
  sendStream,
  stateOf,
  wireParts,
} from "./client.js";
import { rowsOf, serveAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

/** A client that knows the agent only by its card of version 0.3. */
async function connectLegacy(url: string, path: string, rest: boolean): Promise<Client> {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {});
  const card = await (await connect(url)).getAgentCard();
  const client = await new ClientFactory(options).createFromAgentCard(card);
  const endpoint = `${url}${path}`;
  const transport = rest
    ? new LegacyRestTransport({ endpoint })
    : new LegacyJsonRpcTransport({ endpoint });
  return Object.assign(client, { transport });
}

describe.each(hostKinds)("on $name", (kind) => {
  describe.each([
    ["JSON-RPC", "/a2a", false],
    ["HTTP+JSON", "/a2a/rest", true],
  ])("a client of version 0.3 over %s", (_name, path, rest) => {
    let place: HostPlace;
    let host: Host;
    let url: string;
    let client: Client;
    beforeAll(async () => {
      place = await kind.prepare();
      ({ host, url } = await serveAgent(place, { assistantId: "ask" }));
      client = await connectLegacy(url, path, rest);
    });
    afterAll(async () => {
      await host.close();
      await place.remove();
    });

    it("reads a card of its own version", async () => {
      const response = await fetch(`${url}/.well-known/agent-card.json`, {
        headers: { "a2a-version": "0.3" },
      });
      const card = (await response.json()) as object;
      expect(card).toMatchObject({ name: "ask", protocolVersion: "0.3", url: `${url}/a2a` });
    });

    it("sends, is asked, answers, and reads what a client of 1.0 reads", async () => {
      const asked = await send(client, "Ship it");
      expect(stateOf(asked)).toBe("INPUT_REQUIRED");

      const answered = await send(client, "yes", { taskId: asked.id, contextId: asked.contextId });

      expect(stateOf(answered)).toBe("COMPLETED");
      expect(wireParts(answered)).toEqual([{ data: { value: "Ship it", answer: "yes" } }]);
      expect(wireParts(await getTask(client, asked.id))).toEqual(wireParts(answered));
      const modern = await getTask(await connect(url), asked.id);
      expect(wireParts(modern)).toEqual(wireParts(answered));
    });

    it("streams to the question", async () => {
      const events = await eventsOf(sendStream(client, "Ship it"));
      expect(JSON.stringify(events.at(-1))).toContain("TASK_STATE_INPUT_REQUIRED");
    });

    it("cancels, and is refused what it may not do", async () => {
      const { id } = await send(client, "Ship it");
      expect(stateOf(await cancelTask(client, id))).toBe("CANCELED");
      expect((await refusalOf(cancelTask(client, id))).code).toBe(-32002);
      expect((await refusalOf(getTask(client, "unknown"))).code).toBe(-32001);
    });
  });

  describe("a request of version 0.3 that is none", () => {
    let place: HostPlace;
    let host: Host;
    let url: string;
    beforeAll(async () => {
      place = await kind.prepare();
      ({ host, url } = await serveAgent(place, { assistantId: "ask" }));
    });
    afterAll(async () => {
      await host.close();
      await place.remove();
    });

    const ask = async (method: string, params: unknown): Promise<string> => {
      const response = await fetch(`${url}/a2a`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return response.text();
    };
    const message = (members: object) => ({
      kind: "message",
      ...{ messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] },
      ...members,
    });

    it.each(
      ["tasks/get", "tasks/cancel", "tasks/resubscribe"].flatMap((method) =>
        [undefined, null, 5, {}, [], "", "\u0000"].map((id): [string, unknown] => [method, { id }]),
      ),
    )("is refused: %s %j", async (method, params) => {
      expect(await ask(method, params)).toContain('"code":-32602');
    });

    it.each([
      { messageId: {} },
      { messageId: "" },
      { parts: [{ kind: "data", data: null }] },
      { parts: [{ kind: "text" }] },
      { parts: [{ kind: "text", text: null }] },
      { contextId: "c\u0000" },
      { role: 5 },
    ])("is refused, and nothing is created: a message of %j", async (members) => {
      const before = await rowsOf(host);
      expect(await ask("message/send", { message: message(members) })).toContain('"code":-32602');
      expect(await rowsOf(host)).toEqual(before);
    });

    it.each([
      { taskId: 5 },
      { taskId: {} },
      { contextId: 5 },
      { contextId: {} },
      { metadata: 5 },
      { parts: [{ kind: "text", text: 5 }] },
      { parts: [{ kind: "text", text: "hi", metadata: 5 }] },
    ])("is read as far as it is a message: %j", async (members) => {
      const answer = await ask("message/send", { message: message(members) });
      expect(answer).not.toContain("-32603");
      const { result } = JSON.parse(answer) as { result?: { id: string } };
      // What was read is what is kept.
      if (result) expect(await ask("tasks/get", { id: result.id })).toBe(answer);
      else expect(answer).toContain("-32001");
    });
  });
});
