import { setTimeout as wait } from "node:timers/promises";

import type { Message } from "@a2a-js/sdk";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { messageText, partsReply } from "skein-results/a2a";

import { replyWith } from "../engine/declared-reply.js";

import { scriptOf } from "./scripts.js";

const State = Annotation.Root({
  /** The id of the latest message, which names the script. */
  messageId: Annotation<string>,
  text: Annotation<string>,
});

/** The agent under test: it does what the id of a message asks for. */
export const scripted = new StateGraph(State)
  .addNode("ask", () => ({ messageId: interrupt<string, string>("What next?") }))
  // Tells whoever streams the graph that it works on a task.
  .addNode("work", () => ({}))
  .addNode("answer", async ({ messageId }, { writer, signal }) => {
    const script = scriptOf(messageId);
    if (script.end === "failure") throw new Error(script.reason);
    if (script.end === "artifact") await wait(script.afterMs ?? 0, undefined, { signal });
    if (script.end !== "question") writer(replyWith(partsReply(script.parts, { as: script.end })));
    return {};
  })
  .addConditionalEdges(START, next, ["ask", "work", "answer"])
  .addConditionalEdges("ask", next, ["ask", "work", "answer"])
  .addEdge("work", "answer")
  .addEdge("answer", END);

function next({ messageId }: typeof State.State): "ask" | "work" | "answer" {
  const { end } = scriptOf(messageId);
  if (end === "question") return "ask";
  return end === "message" ? "answer" : "work";
}

/** The graph's input. */
export function scriptedInput(message: Message): typeof State.Update {
  return { messageId: message.messageId, text: messageText(message) };
}

/** What an answer to its question is to the graph. */
export function scriptedAnswer({ messageId }: Pick<Message, "messageId">): string {
  return messageId;
}
