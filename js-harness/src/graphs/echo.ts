import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ value: Annotation<string> });

/** Answers its input: `{ value: "hi" }` becomes `{ value: "echo: hi" }`. */
export const echo = new StateGraph(State)
  .addNode("answer", ({ value }) => ({ value: `echo: ${value}` }))
  .addEdge(START, "answer")
  .addEdge("answer", END);
