// What a graph answers, as the artifact of its task: the reply it declared or else its state, as text
// or as data, to the last falsy value.

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { replyWith } from "../engine/declared-reply.js";
import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";

import { getTask, send, wireParts } from "./client.js";
import { jsonInput, serveAgent, type ServedAgent } from "./testing/agent.js";

const State = Annotation.Root({
  /** Declared where it is there. */
  replies: Annotation<unknown[] | undefined>,
  value: Annotation<unknown>,
});

/** Declares the replies of its input. */
const replying = new StateGraph(State)
  .addNode("answer", ({ replies = [] }, { writer }) => {
    for (const reply of replies) writer(replyWith(reply));
    return {};
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);

/** Answers with a LangChain message, which is flat on the wire. */
const chatting = new StateGraph(State)
  .addNode("answer", () => ({ value: new HumanMessage({ id: "m1", content: "hello" }) }))
  .addEdge(START, "answer")
  .addEdge("answer", END);

describe.each(hostKinds)("the artifact of a task on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  const serve = (assistantId = "replying"): Promise<ServedAgent> =>
    serveAgent(place, { assistantId, toInput: jsonInput }, { graphs: { replying, chatting } });
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serve();
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  const REPLIES: [string, unknown, unknown][] = [
    ["text", "Your order ships on Tuesday.", { text: "Your order ships on Tuesday." }],
    ["text that is empty", "", { text: "" }],
    ["text that reads like JSON", '{"a":1}', { text: '{"a":1}' }],
    ["text with NUL and half a surrogate pair", "a\0\ud800b", { text: "a\0\ud800b" }],
    ["an object", { a: { b: [1] } }, { data: { a: { b: [1] } } }],
    ["an object that is empty", {}, { data: {} }],
    ["an array", [1, "two", null], { data: [1, "two", null] }],
    ["an array that is empty", [], { data: [] }],
    ["a number", 1.5, { data: 1.5 }],
    ["zero", 0, { data: 0 }],
    ["true", true, { data: true }],
    ["false", false, { data: false }],
    ["null, which no data part can be", null, { data: { value: null } }],
  ];

  it.each(REPLIES)("is the reply of the graph: %s", async (_name, reply, part) => {
    const { client } = agent;

    const task = await send(client, JSON.stringify({ replies: [reply], value: "the state" }));

    expect(wireParts(task)).toEqual([part]);
    expect(task.artifacts[0]?.artifactId).toBe(`result-${task.id}`);
    expect(await getTask(client, task.id)).toEqual(task);
  });

  it("is the last of several replies", async () => {
    const task = await send(agent.client, JSON.stringify({ replies: ["One moment.", ["done"]] }));
    expect(wireParts(task)).toEqual([{ data: ["done"] }]);
  });

  it.each([{ value: "the state" }, { value: false }, { value: [0, "", null] }, { value: null }])(
    "is the state of the graph where it declares no reply: %j",
    async (values) => {
      const task = await send(agent.client, JSON.stringify(values));
      expect(wireParts(task)).toEqual([{ data: values }]);
    },
  );

  it("is the same whenever it is read, also from a host that was opened again", async () => {
    const sent = [];
    for (const [, reply] of REPLIES) {
      sent.push(await send(agent.client, JSON.stringify({ replies: [reply] })));
    }
    if (kind.durable) {
      await agent.host.close();
      agent = await serve();
    }

    const read = [];
    for (const { id } of sent) read.push(await getTask(agent.client, id));
    expect(read).toEqual(sent);
  });
});

it("a message of LangChain in the state is flat, as it is everywhere on the wire", async () => {
  const [memory] = hostKinds;
  const place = await memory?.prepare();
  if (!place) throw new Error("There is no host.");
  const { client, host } = await serveAgent(
    place,
    { assistantId: "chatting", toInput: () => ({}) },
    { graphs: { chatting } },
  );

  const task = await send(client, "hello");

  expect(wireParts(task)).toMatchObject([
    { data: { value: { type: "human", content: "hello", id: "m1" } } },
  ]);
  await host.close();
});
