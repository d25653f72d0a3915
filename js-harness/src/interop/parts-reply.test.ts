// A graph whose answer is made of parts of its own, and one that answers by a message.

import type { Part } from "@a2a-js/sdk";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { partsReply } from "skein-results/a2a";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { replyWith } from "../engine/declared-reply.js";
import type { Graph } from "../engine/graph.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";

import {
  connect,
  eventsOf,
  getTask,
  part,
  send,
  sendStream,
  userMessage,
  wireParts,
} from "./client.js";
import { serveAgent } from "./testing/agent.js";

const PARTS: Part[] = [
  {
    ...part({ $case: "raw", value: Buffer.from([0, 255, 10]) }),
    filename: "a.bin",
    mediaType: "x/y",
  },
  { ...part({ $case: "url", value: "https://files.test/a" }), filename: "a.pdf" },
  part({ $case: "text", value: "" }),
  { ...part({ $case: "data", value: [0, false] }), metadata: { rows: 2 } },
];
const WIRE = [
  { raw: "AP8K", filename: "a.bin", mediaType: "x/y" },
  { url: "https://files.test/a", filename: "a.pdf" },
  { text: "" },
  { data: [0, false], metadata: { rows: 2 } },
];

const State = Annotation.Root({ value: Annotation<string> });
const declaring = (reply: unknown): Graph =>
  new StateGraph(State)
    .addNode("answer", (_state, { writer }) => {
      writer(replyWith(reply));
      return {};
    })
    .addEdge(START, "answer")
    .addEdge("answer", END);

describe.each(hostKinds)("on $name", (kind) => {
  let place: HostPlace;
  beforeEach(async () => {
    place = await kind.prepare();
  });
  afterEach(() => place.remove());

  const serving = (reply: unknown) =>
    serveAgent(place, { assistantId: "agent" }, { graphs: { agent: declaring(reply) } });

  it("an artifact has the parts that the graph has declared, over both transports", async () => {
    const { host, url, client } = await serving(partsReply(PARTS));
    const task = await send(client, "go");
    expect(wireParts(task)).toEqual(WIRE);
    expect(task.artifacts[0]?.artifactId).toBe(`result-${task.id}`);
    const rest = await connect(url, "HTTP+JSON");
    expect(wireParts(await getTask(rest, task.id))).toEqual(WIRE);
    await host.close();
  });

  it("who waits is answered by a message where the graph says so, and the task is there too", async () => {
    const { host, client } = await serving(partsReply(PARTS, { as: "message" }));
    const ask = (returnImmediately: boolean) =>
      client.sendMessage({
        tenant: "",
        message: userMessage("go"),
        configuration: {
          acceptedOutputModes: [],
          taskPushNotificationConfig: undefined,
          returnImmediately,
        },
        metadata: undefined,
      });

    const message = await ask(false);

    if (!("messageId" in message)) throw new Error("The answer is no message.");
    expect(message.messageId).toBe(`message-${message.taskId}`);
    const task = await getTask(client, message.taskId);
    expect(wireParts(task)).toEqual(WIRE);
    expect(message.parts).toEqual(task.artifacts[0]?.parts);
    expect(await ask(true)).toHaveProperty("status");
    expect(JSON.stringify(await eventsOf(sendStream(client, "go")))).toContain("artifactUpdate");
    await host.close();
  });

  it.each<[string, unknown]>([
    ["no parts", { $a2a_parts: [] }],
    ["parts that are none", { $a2a_parts: [{ text: "a", url: "b" }] }],
    ["a part that holds null", { $a2a_parts: [{ data: null }] }],
    ["parts in a list", [{ $a2a_parts: [{ text: "a" }] }]],
  ])("a reply of %s is data as it is", async (_name, reply) => {
    const { host, client } = await serving(reply);
    expect(wireParts(await send(client, "go"))).toEqual([{ data: reply }]);
    await host.close();
  });
});
