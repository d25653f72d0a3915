import type { Message } from "@a2a-js/sdk";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { messageText } from "skein-results/a2a";

const State = Annotation.Root({ bytes: Annotation<number>, messages: Annotation<unknown[]> });

/** Answers with a chat of about as many bytes as it is asked for. */
export const sized = new StateGraph(State)
  .addNode("answer", ({ bytes }) => ({ messages: chatOf(bytes) }))
  .addEdge(START, "answer")
  .addEdge("answer", END);

/** The graph's input: the text is a number of bytes. */
export function sizedInput(message: Message): typeof State.Update {
  return { bytes: Number(messageText(message)) };
}

const MESSAGE_BYTES = 512;

function chatOf(bytes: number): unknown[] {
  return Array.from({ length: Math.max(1, Math.round(bytes / MESSAGE_BYTES)) }, (_, turn) => ({
    type: turn % 2 === 0 ? "human" : "ai",
    id: `message-${String(turn).padStart(6, "0")}`,
    content: `Turn ${turn}: ${"all work and no play ".repeat(18)}`.padEnd(MESSAGE_BYTES - 72, "."),
    done: true,
  }));
}
