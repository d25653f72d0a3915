import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ value: Annotation<string>, answer: Annotation<unknown> });

/** Pauses with a question, and ends with the answer it is resumed with. */
export const ask = new StateGraph(State)
  .addNode("question", ({ value }) => ({
    answer: interrupt<{ question: string }, unknown>({ question: `${value}?` }),
  }))
  .addEdge(START, "question")
  .addEdge("question", END);
