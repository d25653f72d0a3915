// An answer whose run is undone while it works: the task asks again, and what was answered then does not count.

import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostKinds, type HostPlace } from "../engine/testing/hosts.js";
import { Gate } from "../engine/testing/store-wrappers.js";
import type { Host } from "../host.js";

import { getTask, send, sendAndGo, stateOf, wireParts } from "./client.js";
import { rowsOf, serveAgent, type ServedAgent } from "./testing/agent.js";

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
