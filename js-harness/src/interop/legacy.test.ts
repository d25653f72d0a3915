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
import { serveAgent } from "./testing/agent.js";
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
});
