import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

import { replyWith } from "../engine/declared-reply.js";

const State = Annotation.Root({ value: Annotation<string> });

/** Declares two replies on the custom stream, of which the second counts, and keeps its state. */
export const reply = new StateGraph(State)
  .addNode("answer", ({ value }, { writer }) => {
    writer(replyWith("One moment."));
    writer({ progress: 1 });
    writer(replyWith(`reply: ${value}`));
    return {};
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);
