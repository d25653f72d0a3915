import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ value: Annotation<string> });

/** Throws its input. */
export const failing = new StateGraph(State)
  .addNode("fail", ({ value }) => {
    throw new Error(value);
  })
  .addEdge(START, "fail")
  .addEdge("fail", END);
