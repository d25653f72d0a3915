// What fails inside: the caller is told that something did, and the operator what.

import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import { ServerCallContext } from "@a2a-js/sdk/server";
import { createA2AHandler, type A2AHost, type ToInput } from "skein-results/a2a";
import { afterEach, describe, expect, it, vi } from "vitest";

import { a2aHost, cardOf, serveA2A } from "../a2a/mount.js";
import { openMemoryHost, type Host } from "../host.js";

import { cancelTask, connect, getTask, send } from "./client.js";
import { rowsOf } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

const broken = new Error("connect ECONNREFUSED db.internal:5432");

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
});

/** Serves `echo` with some of the host replaced; `told` is what the operator hears. */
async function serveWith(
  replace: (host: A2AHost) => Partial<A2AHost>,
  toInput: ToInput = () => ({ value: "hello" }),
) {
  const told: unknown[] = [];
  const host = await openMemoryHost({
    mount: (app, opening, url) => {
      const card = cardOf("echo", url);
      const base: A2AHost = a2aHost(opening, { assistantId: "echo" });
      const replaced = replace(base);
      const hosted = { ...base, ...replaced };
      const onFailure = (error: unknown): void => void told.push(error);
      serveA2A(app, createA2AHandler({ card, hostFor: () => hosted, toInput, onFailure }), card);
    },
  });
  opened.push(host);
  const { url } = await host.listen();
  return { host, client: await connect(url), told };
}

describe("a failure inside", () => {
  const failingReads = ({ runs }: A2AHost): Partial<A2AHost> => ({
    runs: { ...runs, get: () => Promise.reject(broken) },
    taskPage: () => Promise.reject(broken),
  });

  it.each<[string, (client: Awaited<ReturnType<typeof connect>>) => Promise<unknown>]>([
    ["get", (client) => getTask(client, "some")],
    ["cancel", (client) => cancelTask(client, "some")],
    ["send", (client) => send(client, "hello")],
  ])("is not explained to the caller, and is to the operator (%s)", async (_name, request) => {
    const { client, told } = await serveWith(failingReads);

    expect(await refusalOf(request(client))).toEqual({
      code: -32603,
      message: "The agent failed to answer the request.",
    });
    expect(told).toEqual([broken]);
  });

  it("goes to the console where the host says nothing else", async () => {
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => undefined);
    const host = await openMemoryHost();
    opened.push(host);
    const hosted = {
      ...a2aHost(host, { assistantId: "echo" }),
      ...failingReads(a2aHost(host, { assistantId: "echo" })),
    };
    const handler = createA2AHandler({ card: cardOf("echo", ""), hostFor: () => hosted });

    const asked = handler.getTask({ tenant: "", id: "some" }, new ServerCallContext());
    await expect(asked).rejects.toThrow("The agent failed to answer the request.");

    expect(console).toHaveBeenCalledWith("An A2A request failed inside.", broken);
    console.mockRestore();
  });
});

describe("an input that cannot be made of a message", () => {
  it.each<[string, Error, number, unknown[]]>([
    ["as the protocol's own refusal", new ContentTypeNotSupportedError("No pictures."), -32005, []],
    ["as a failure inside", broken, -32603, [broken]],
  ])("is told %s, and nothing is created", async (_name, thrown, code, heard) => {
    const { client, host, told } = await serveWith(
      () => ({}),
      () => {
        throw thrown;
      },
    );

    expect((await refusalOf(send(client, "hello"))).code).toBe(code);

    expect(told).toEqual(heard);
    expect(await rowsOf(host)).toEqual({ threads: [], runs: [] });
  });
});

describe("a context that is deleted while a message to it is admitted", () => {
  it("is unknown", async () => {
    const { client, host, told } = await serveWith((base) => {
      // A thread that is made with its run is there as long as the run is admitted.
      delete base.startOnNewThread;
      return {
        start: async (request) => {
          await host.services().threads.delete(request.threadId);
          return base.start(request);
        },
      };
    });
    const { thread_id } = await host.services().threads.create();

    const refusal = await refusalOf(send(client, "hello", { contextId: thread_id }));

    expect(refusal).toEqual(await refusalOf(send(client, "hello", { contextId: "unknown" })));
    expect(told).toEqual([]);
  });

  it("is not, where it is still there and something else failed", async () => {
    const { client, host, told } = await serveWith(() => ({
      start: () => Promise.reject(broken),
    }));
    const { thread_id } = await host.services().threads.create();

    expect(await refusalOf(send(client, "hello", { contextId: thread_id }))).toMatchObject({
      code: -32603,
    });
    expect(told).toEqual([broken]);
  });
});
