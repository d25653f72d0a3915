import { setTimeout as wait } from "node:timers/promises";

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  value: Annotation<string>,
  /** How long to think. @defaultValue 30 seconds */
  milliseconds: Annotation<number | undefined>,
});

/** Echoes after a while, and stops waiting when its run is aborted. */
export const slowEcho = new StateGraph(State)
  .addNode("answer", async ({ value, milliseconds = 30_000 }, { signal }) => {
    await wait(milliseconds, undefined, { signal });
    return { value: `echo: ${value}` };
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);
