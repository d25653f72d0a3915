import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  value: Annotation<string>,
  /** What was answered, in the order of the answers. */
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const asking =
  (question: string) =>
  ({ value }: typeof State.State) => ({
    answers: [[question, interrupt({ question: `${value}, ${question}?` })]],
  });

/** Asks two questions at the same time. */
export const askTwo = new StateGraph(State)
  .addNode("left", asking("left"))
  .addNode("right", asking("right"))
  .addEdge(START, "left")
  .addEdge(START, "right")
  .addEdge("left", END)
  .addEdge("right", END);

/** Asks a second question when the first one is answered. */
export const askTwice = new StateGraph(State)
  .addNode("first", asking("first"))
  .addNode("second", asking("second"))
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END);
