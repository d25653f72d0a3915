// An answer whose run is undone while it works: the task asks again, and what was answered then does not count.

import type { Message, Task } from "@a2a-js/sdk";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { Gate } from "../engine/testing/store-wrappers.js";
import type { Host } from "../host.js";

import {
  getTask,
  part,
  send,
  sendAndGo,
  sendMessage,
  stateOf,
  userMessage,
  wireParts,
} from "./client.js";
import { rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";
import { refusalOf } from "./testing/json-rpc.js";

const State = Annotation.Root({
  value: Annotation<string>,
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

/** Where the graph works on an answer until it is stopped, if the answer is `undone`. */
let work = new Gate();

async function workOn(answer: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (answer !== "undone") return;
  const stopped = new Promise((resolve) => signal?.addEventListener("abort", resolve));
  await Promise.race([work.pass(), stopped]);
  signal?.throwIfAborted();
}

/** The step of the question is over when the answer is worked on. */
const inTheNextStep = new StateGraph(State)
  .addNode("question", ({ value }) => ({ answers: [interrupt<string, unknown>(`${value}?`)] }))
  .addNode("work", async ({ answers }, { signal }) => {
    await workOn(answers.at(-1), signal);
    return {};
  })
  .addEdge(START, "question")
  .addEdge("question", "work")
  .addEdge("work", END);

const inTheSameStep = new StateGraph(State)
  .addNode("question", async ({ value }, { signal }) => {
    const answer = interrupt<string, unknown>(`${value}?`);
    await workOn(answer, signal);
    return { answers: [answer] };
  })
  .addEdge(START, "question")
  .addEdge("question", END);

const graphs = { inTheNextStep, inTheSameStep };

const UNDOINGS: [string, (host: Host, runId: string) => Promise<unknown>][] = [
  [
    "rolled back",
    (host, runId) => host.services().runs.cancel(runId, { action: "rollback", wait: true }),
  ],
  [
    "erased",
    async (host, runId) => {
      await host.services().runs.delete(runId);
    },
  ],
];

describe.each(hostKinds)("on $name", (kind) => {
  describe.each(Object.keys(graphs))("an answer that is worked on %s", (assistantId) => {
    let place: HostPlace;
    let agent: ServedAgent;
    beforeAll(async () => {
      place = await kind.prepare();
      agent = await serveAgent(place, { assistantId }, { graphs });
    });
    afterAll(async () => {
      await agent.host.close();
      await place.remove();
    });

    it.each(UNDOINGS)("and %s counts for nothing", async (_name, undo) => {
      work = new Gate();
      const { client, host } = agent;
      const { id, contextId } = await send(client, "Ship it");
      await sendAndGo(client, "undone", { taskId: id });
      await work.reached;
      const [, answering] = await host.store.runs.listByThread(contextId);

      await undo(host, String(answering?.run_id));

      const again = await getTask(client, id);
      expect(stateOf(again)).toBe("INPUT_REQUIRED");
      expect(again.history).toHaveLength(1);
      const before = await rowsOf(host);
      const answered = await send(client, "again", { taskId: id }).catch(() => null);
      if (answered === null) {
        // What was answered cannot be taken from the saver, and the pause is not resumed from there.
        expect(await rowsOf(host)).toEqual(before);
        expect(await getTask(client, id)).toEqual(again);
      } else {
        expect(stateOf(answered)).toBe("COMPLETED");
        expect(JSON.stringify(wireParts(answered))).not.toContain("undone");
        expect(answered.history).toHaveLength(2);
      }
    });
  });
});

/** Two questions of one step, of which the first works on its answer. */
const twoInOneStep = new StateGraph(State)
  .addNode("first", async (_state, { signal }) => {
    const answer = interrupt<string, unknown>("first?");
    await workOn(answer, signal);
    return { answers: [{ first: answer }] };
  })
  .addNode("second", () => ({ answers: [{ second: interrupt<string, unknown>("second?") }] }))
  .addEdge(START, "first")
  .addEdge(START, "second")
  .addEdge("first", END)
  .addEdge("second", END);

describe.each(hostKinds)("one of two questions of a step on $name", (kind) => {
  let place: HostPlace;
  let agent: ServedAgent;
  beforeAll(async () => {
    place = await kind.prepare();
    agent = await serveAgent(place, { assistantId: "two" }, { graphs: { two: twoInOneStep } });
  });
  afterAll(async () => {
    await agent.host.close();
    await place.remove();
  });

  const answersTo = (task: Task, question: string, value: unknown): Message => {
    const parts = task.status?.message?.parts ?? [];
    const asked = parts.map(({ content }) => content?.value as { id: string; value: unknown });
    const id = asked.find(({ value: text }) => text === question)?.id;
    const data = part({ $case: "data", value: { id, value } });
    return userMessage("", { taskId: task.id, parts: [data] });
  };

  it.each(UNDOINGS)(
    "is not answered by what was %s while the graph worked on it",
    async (_name, undo) => {
      work = new Gate();
      const { client, host } = agent;
      const task = await send(client, "Ship it");
      const undone = answersTo(task, "first?", "undone");
      await sendMessage(client, undone, { returnImmediately: true });
      await work.reached;
      const [, answering] = await host.store.runs.listByThread(task.contextId);

      await undo(host, String(answering?.run_id));
      // The graph has let go of the thread.
      await expect.poll(async () => (await getTask(client, task.id)).status).toEqual(task.status);
      const before = await rowsOf(host);

      for (const question of ["second?", "first?"]) {
        const answer = sendMessage(client, answersTo(task, question, "later"));
        expect(await refusalOf(answer)).toMatchObject({ code: -32004 });
      }
      expect(await rowsOf(host)).toEqual(before);
    },
  );

  it("is answered after the other one, and answers again where nothing was undone", async () => {
    const { client } = agent;
    const task = await send(client, "Ship it");
    const half = await sendMessage(client, answersTo(task, "first?", "one"));
    expect(stateOf(half)).toBe("INPUT_REQUIRED");

    const whole = await sendMessage(client, answersTo(half, "second?", "two"));

    expect(stateOf(whole)).toBe("COMPLETED");
    expect(JSON.stringify(wireParts(whole))).toMatch(/"first":"one".*"second":"two"/);
  });
});
