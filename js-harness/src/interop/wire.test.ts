// The transport around the adapter: what is not JSON-RPC, too large, or of another version.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { memory } from "../engine/testing/hosts.js";

import { serveAgent, type ServedAgent } from "./testing/agent.js";
import { post } from "./testing/json-rpc.js";

const message = (text: string) => ({ messageId: "m", role: "ROLE_USER", parts: [{ text }] });
const request = (text: string): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "SendMessage",
    params: { message: message(text) },
  });

describe("the endpoint of an agent", () => {
  let agent: ServedAgent;
  beforeAll(async () => {
    agent = await serveAgent(await memory.prepare(), { assistantId: "echo" });
  });
  afterAll(() => agent.host.close());

  it.each([
    ["a body that is not JSON", '{"jsonrpc":', 200, -32700],
    ["a body that is no request", "[1]", 200, -32602],
    ["no body", "", 200, -32602],
    ["a body of more than 50 MB", request("x".repeat(51 * 1024 * 1024)), 413, -32600],
  ])("answers %s in JSON-RPC", async (_name, body, status, code) => {
    const answer = await post(agent.url, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
  });

  it("refuses a body that is called something else than JSON", async () => {
    const { body } = await post(agent.url, request("hello"), { "content-type": "text/plain" });
    expect(body.error?.code).toBe(-32005);
  });

  it("takes a body that is larger than the SDK's own limit", async () => {
    const { body } = await post(agent.url, request("x".repeat(200_000)));
    expect(body).toMatchObject({
      id: 7,
      result: { task: { status: { state: "TASK_STATE_COMPLETED" } } },
    });
  });

  it("refuses a client of a version that it does not speak", async () => {
    // The SDK writes that to the console.
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => undefined);
    const { body } = await post(agent.url, request("hello"), { "a2a-version": "0.2" });
    expect(body).toMatchObject({ id: 7, error: { code: -32009 } });
    console.mockRestore();
  });

  it("takes a request without a version for one of version 0.3", async () => {
    const { body } = await post(agent.url, request("hello"), { "a2a-version": "" });
    // That version has no such method.
    expect(body).toMatchObject({ id: 7, error: { code: -32601 } });
  });

  it("leaves the protocol of the host beside it alone", async () => {
    const response = await fetch(`${agent.url}/threads`, { method: "POST", body: "{" });
    expect(response.status).toBeLessThan(500);
    const ok = await fetch(`${agent.url}/ok`);
    expect(await ok.json()).toEqual({ ok: true });
  });
});
