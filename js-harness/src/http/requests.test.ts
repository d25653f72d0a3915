// What a client gets for a request that is not right, or for an answer that cannot be written.

import { HumanMessage } from "@langchain/core/messages";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { LiveSaver } from "../engine/testing/live-saver.js";
import { graphs } from "../graphs/index.js";
import { openHost, type Host } from "../host.js";
import { openMemoryStore } from "../stores/memory.js";

const speaking = new StateGraph(Annotation.Root({ said: Annotation<unknown> }))
  .addNode("speak", () => ({ said: new HumanMessage("hello") }))
  .addEdge(START, "speak")
  .addEdge("speak", END);

describe("a request", () => {
  let host: Host;
  let url: string;
  beforeAll(async () => {
    const { store } = openMemoryStore();
    host = await openHost({
      store,
      saver: new LiveSaver(),
      graphs: { ...graphs, speaking },
      log: () => {},
      mount: (app, _host, at) => {
        app.get("/mounted", (_request, response) => {
          response.json({ at });
        });
      },
    });
    ({ url } = await host.listen());
  });
  afterAll(() => host.close());

  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : {
            headers: { "content-type": "application/json" },
            body: typeof body === "string" ? body : JSON.stringify(body),
          }),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each([
    ["a body that is no JSON", "/threads", "{", 400],
    ["a body that is no object", "/threads", [1], 400],
    ["a field of the wrong shape", "/threads", { thread_id: 5 }, 400],
    ["a run without an assistant", "/runs/wait", { input: {} }, 400],
    ["a stream mode that is not served", "/runs", { assistant_id: "echo", stream_mode: "x" }, 400],
    ["a webhook that is no web address", "/runs", { assistant_id: "echo", webhook: "file:x" }, 400],
    ["a strategy that there is not", "/threads/prune", { strategy: "burn" }, 400],
    ["a thread id that no store keeps", "/threads", { thread_id: "\u0000" }, 400],
    ["a path that is not served", "/nowhere", {}, 404],
  ])("with %s is refused, in JSON", async (_what, path, body, status) => {
    const answer = await send("POST", path, body);

    expect(answer.status, answer.text).toBe(status);
    const { detail, message } = JSON.parse(answer.text) as Record<string, string>;
    expect(detail).toBeTruthy();
    expect(message).toBe(detail);
  });

  it("takes a large body, and refuses one that is too large, in JSON", async () => {
    const metadata = { text: "x".repeat(2_000_000) };
    expect((await send("POST", "/threads", { metadata })).status).toBe(200);

    const answer = await send("POST", "/threads", JSON.stringify("x".repeat(51 * 1024 * 1024)));
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toHaveProperty("detail");
  });

  it("is answered with messages in the shape that clients read", async () => {
    const body = { assistant_id: "speaking", input: { said: "" } };
    const { text } = await send("POST", "/runs/wait", body);

    expect(JSON.parse(text)).toMatchObject({ said: { type: "human", content: "hello" } });
  });

  it("for a state that JSON cannot carry fails, and the host goes on", async () => {
    const input = { kind: "bigint", place: "state" };
    const body = { assistant_id: "unserializable", input };

    const answer = await send("POST", "/runs/wait", body);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({
      detail: "Internal Server Error",
      message: "Internal Server Error",
    });
    expect((await send("GET", "/ok")).status).toBe(200);
  });

  it("for a stream that JSON cannot carry is told so, and the stream ends as the run did", async () => {
    const input = { kind: "bigint", place: "state" };

    const { status, text } = await send("POST", "/runs/stream", {
      assistant_id: "unserializable",
      input,
    });

    expect(status).toBe(200);
    expect(text).toContain("event: error\n");
    expect(text).toMatch(/event: end\ndata: {"status":"success"}\n\n$/);
  });

  it("reaches what is mounted in the host, which knows where it is served", async () => {
    expect(JSON.parse((await send("GET", "/mounted")).text)).toEqual({ at: url });
  });

  it("does not take its run along when the client goes away", async () => {
    const { thread_id } = await host.services().threads.create();
    const controller = new AbortController();
    const response = await fetch(`${url}/threads/${thread_id}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        assistant_id: "slow-echo",
        input: { value: "slow", milliseconds: 150 },
      }),
      signal: controller.signal,
    });
    expect(response.headers.get("content-location")).toContain(thread_id);
    controller.abort();

    const [run] = await host.store.runs.listByThread(thread_id);
    expect(await host.services().runs.wait(String(run?.run_id))).toMatchObject({
      status: "success",
    });
  });
});

describe("a host that closes while clients listen", () => {
  it("ends their streams with what became of their runs, and does not wait for the clients", async () => {
    const host = await openHost({
      store: openMemoryStore().store,
      saver: new LiveSaver(),
      shutdownGraceMs: 50,
      log: () => {},
    });
    const { url } = await host.listen();
    const response = await fetch(`${url}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "slow-echo", input: { value: "slow" } }),
    });
    const started = Date.now();

    const [text] = await Promise.all([response.text(), host.close()]);

    expect(text).toMatch(/event: end\ndata: {"status":"cancelled"}\n\n$/);
    expect(Date.now() - started).toBeLessThan(2_000);
    await expect(fetch(`${url}/ok`)).rejects.toThrow();
  });
});
