import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

import { ask } from "./ask.js";

const State = Annotation.Root({ value: Annotation<string>, answer: Annotation<unknown> });

/** Asks from inside a subgraph, so that a paused thread has checkpoints in two namespaces. */
export const withSubgraph = new StateGraph(State)
  .addNode("prepare", ({ value }) => ({ value: `${value} or not` }))
  .addNode("inner", ask.compile())
  .addEdge(START, "prepare")
  .addEdge("prepare", "inner")
  .addEdge("inner", END);
