// What is refused, with which code, and that nothing is created or changed by it.

import { Role, type Part } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";

import {
  cancelTask,
  getTask,
  part,
  send,
  sendMessage,
  userMessage,
  type MessageSettings,
} from "./client.js";
import { rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";
import { call, post, refusalOf } from "./testing/json-rpc.js";

const INVALID = -32602;
const TASK_NOT_FOUND = -32001;
const NOT_CANCELABLE = -32002;
const NO_PUSH = -32003;
const UNSUPPORTED = -32004;
const CONTENT_TYPE = -32005;

/** Brackets around nothing, one in the other. */
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe.each(hostKinds)("an agent on $name refuses", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  /** A completed task. */
  let done: { id: string; contextId: string };
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "echo" });
    done = await send(agent.client, "first");
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  /** Asserts a refusal with the code, after which everything is as it was. */
  async function expectRefusal(
    code: number,
    request: (agent: ServedAgent) => Promise<unknown>,
  ): Promise<void> {
    const before = [await rowsOf(agent.host), await getTask(agent.client, done.id)];
    expect(await refusalOf(request(agent))).toMatchObject({ code });
    expect([await rowsOf(agent.host), await getTask(agent.client, done.id)]).toEqual(before);
  }

  it.each<[string, number, MessageSettings | (() => MessageSettings)]>([
    ["without a messageId", INVALID, { messageId: "" }],
    ["without parts", INVALID, { parts: [] }],
    ["with a part that holds nothing", INVALID, { parts: [part(undefined)] }],
    ["with a part that holds null", INVALID, { parts: [part({ $case: "data", value: null })] }],
    ["of the agent's own", INVALID, { role: Role.ROLE_AGENT }],
    ["of nobody", INVALID, { role: Role.ROLE_UNSPECIFIED }],
    ["with NUL in its text", INVALID, { parts: [part({ $case: "text", value: "a\0b" })] }],
    ["with NUL in its id", INVALID, { messageId: "m\0" }],
    ["with NUL in the id of its context", INVALID, { contextId: "c\0" }],
    ["with NUL in the id of its task", INVALID, { taskId: "t\0" }],
    ["with NUL in its metadata", INVALID, { metadata: { key: "a\0b" } }],
    ["with half a surrogate pair", INVALID, { parts: [part({ $case: "text", value: "\ud800" })] }],
    [
      "with a key that a saver refuses",
      INVALID,
      { parts: [part({ $case: "data", value: JSON.parse('{"a":[{"__proto__":1}]}') as object })] },
    ],
    ["to a task that is unknown", TASK_NOT_FOUND, { taskId: "unknown" }],
    [
      "to a task that is unknown, in a context",
      TASK_NOT_FOUND,
      () => ({ ...inDone(), taskId: "x" }),
    ],
    ["to a task that has ended", UNSUPPORTED, () => ({ taskId: done.id })],
    [
      "to a task that has ended, in its context",
      UNSUPPORTED,
      () => ({ ...inDone(), taskId: done.id }),
    ],
    ["to a task of another context", INVALID, () => ({ taskId: done.id, contextId: "unknown" })],
    ["with a file", CONTENT_TYPE, { parts: [file()] }],
    ["with a link to a file", CONTENT_TYPE, { parts: [link()] }],
  ])("a message %s", async (_name, code, settings) => {
    const message = typeof settings === "function" ? settings() : settings;
    await expectRefusal(code, ({ client }) => send(client, "hello", message));
  });

  const inDone = () => ({ contextId: done.contextId });

  it("a message to a task of another context that exists", async () => {
    const other = await send(agent.client, "elsewhere");
    await expectRefusal(INVALID, ({ client }) =>
      send(client, "hello", { taskId: done.id, contextId: other.contextId }),
    );
  });

  it.each([1_200, 6_000, 60_000])("a message that is nested %d levels deep", async (levels) => {
    const params = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${nested(levels)}}]}}`;
    const before = await rowsOf(agent.host);
    const request = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;
    const { body } = await post(agent.url, request);
    expect(body.error).toMatchObject({
      code: INVALID,
      message: "The message is nested deeper than 1,000 levels, which cannot be stored.",
    });
    expect(await rowsOf(agent.host)).toEqual(before);
  });

  it("no message at all", async () => {
    const before = await rowsOf(agent.host);
    expect((await call(agent.url, "SendMessage", {})).body.error?.code).toBe(INVALID);
    expect(await rowsOf(agent.host)).toEqual(before);
  });

  it("a send that asks for push notifications, which nobody would send", async () => {
    const taskPushNotificationConfig = {
      ...{ tenant: "", id: "", taskId: "", url: "https://receiver.test", token: "" },
      authentication: undefined,
    };
    await expectRefusal(NO_PUSH, ({ client }) =>
      sendMessage(client, userMessage("hello"), { taskPushNotificationConfig }),
    );
  });

  it.each([-1, 1.5, "abc", "1e99"])("a history of the length %s", async (historyLength) => {
    const before = await rowsOf(agent.host);
    const message = {
      ...{ messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] },
    };
    const answers = await Promise.all([
      call(agent.url, "SendMessage", { message, configuration: { historyLength } }),
      call(agent.url, "GetTask", { id: done.id, historyLength }),
    ]);
    expect(answers.map(({ body }) => body.error?.code)).toEqual([INVALID, INVALID]);
    expect(await rowsOf(agent.host)).toEqual(before);
  });

  it.each<[string, string, number]>([
    ["unknown", "unknown", TASK_NOT_FOUND],
    ["of any length", "t".repeat(5_000), TASK_NOT_FOUND],
    ["with half a surrogate pair in it", "\ud800", TASK_NOT_FOUND],
    ["with quotes in it", `'"\`;--`, TASK_NOT_FOUND],
    ["of a property that every object has", "__proto__", TASK_NOT_FOUND],
    ["with NUL in it", "t\0", INVALID],
    ["left out", "", INVALID],
    ["blank", "  ", INVALID],
  ])("to get or cancel a task whose id is %s", async (_name, id, code) => {
    await expectRefusal(code, ({ client }) => getTask(client, id));
    await expectRefusal(code, ({ client }) => cancelTask(client, id));
  });

  it("to cancel a task that has ended", async () => {
    await expectRefusal(NOT_CANCELABLE, ({ client }) => cancelTask(client, done.id));
  });
});

describe("what an agent does not do", () => {
  let place: HostPlace;
  let agent: ServedAgent;
  let done: { id: string };
  beforeAll(async () => {
    const [memory] = hostKinds;
    if (!memory) throw new Error("There is no host.");
    place = await memory.prepare();
    agent = await serveAgent(place, { assistantId: "echo" });
    done = await send(agent.client, "first");
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  const push = { taskId: "TASK", id: "config", url: "https://receiver.test" };

  it.each<[string, number, unknown]>([
    ["GetExtendedAgentCard", UNSUPPORTED, {}],
    ["CreateTaskPushNotificationConfig", NO_PUSH, push],
    ["GetTaskPushNotificationConfig", NO_PUSH, push],
    ["ListTaskPushNotificationConfigs", NO_PUSH, { taskId: "TASK" }],
    ["DeleteTaskPushNotificationConfig", NO_PUSH, push],
    ["NoSuchMethod", -32601, {}],
  ])("is answered with the protocol's error: %s", async (method, code, params) => {
    // The SDK writes a stream that could not begin to the console.
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => undefined);
    const before = await rowsOf(agent.host);
    const known = JSON.parse(JSON.stringify(params).replace("TASK", done.id)) as unknown;

    const { body } = await call(agent.url, method, known);

    expect(body).not.toHaveProperty("result");
    expect(body.error?.code).toBe(code);
    expect(await rowsOf(agent.host)).toEqual(before);
    console.mockRestore();
  });
});

function file(): Part {
  return {
    ...part({ $case: "raw", value: Buffer.from("%PDF") }),
    filename: "a.pdf",
    mediaType: "application/pdf",
  };
}

function link(): Part {
  return part({ $case: "url", value: "https://files.test/a.pdf" });
}
