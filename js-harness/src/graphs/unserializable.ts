import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

import { replyWith } from "../engine/declared-reply.js";
import { UNWRITABLE } from "../wire-json/values/unwritable.js";

/** Values that JSON cannot carry, each made when it is asked for. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  bigint: () => 1n,
  cycle: () => {
    const node: { self?: unknown } = {};
    node.self = node;
    return node;
  },
  toJSON: () => ({
    toJSON: () => {
      throw new Error("This value refuses to be written.");
    },
  }),
};

/** The same of {@link UNWRITABLE}, by what is told of them. */
const MORE = Object.fromEntries(UNWRITABLE.map(({ told, make }) => [told, make]));

/** Of each kind of problem one. */
export const EACH_PROBLEM = [
  "bigint",
  "cycle",
  "toJSON",
  "a getter that throws",
  "a revoked proxy",
  "5,000 levels",
];

const State = Annotation.Root({
  kind: Annotation<string>,
  /**
   * Where the value goes. A saver may refuse it in the state, and LangGraph as a question; nothing refuses
   * it as a reply.
   */
  place: Annotation<"state" | "reply" | "question">,
  value: Annotation<unknown>,
});

/** Comes out with something that JSON cannot carry, of the kind and at the place of its input. */
export const unserializable = new StateGraph(State)
  .addNode("answer", ({ kind, place }, { writer }) => {
    const value = (VALUES[kind] ?? MORE[kind])?.();
    if (place === "state") return { value };
    if (place === "question") interrupt(value);
    writer(replyWith(value));
    return {};
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);
