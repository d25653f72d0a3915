import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

import { replyWith } from "../engine/declared-reply.js";

/** Values that JSON cannot carry, each made when it is asked for. */
const VALUES = {
  bigint: (): unknown => 1n,
  cycle: (): unknown => {
    const node: { self?: unknown } = {};
    node.self = node;
    return node;
  },
  toJSON: (): unknown => ({
    toJSON: () => {
      throw new Error("This value refuses to be written.");
    },
  }),
  getter: (): unknown => ({
    get x(): never {
      throw new Error("This value refuses to be read.");
    },
  }),
  proxy: (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return { inside: proxy };
  },
  deep: (): unknown => {
    let value: unknown = 0;
    for (let level = 0; level < 1_500; level += 1) value = [value];
    return value;
  },
};

const State = Annotation.Root({
  kind: Annotation<keyof typeof VALUES>,
  /** Where the value goes. A saver may refuse it in the state; nothing refuses it as a reply. */
  place: Annotation<"state" | "reply">,
  value: Annotation<unknown>,
});

/** Comes out with something that JSON cannot carry, of the kind and at the place of its input. */
export const unserializable = new StateGraph(State)
  .addNode("answer", ({ kind, place }, { writer }) => {
    const value = VALUES[kind]();
    if (place === "state") return { value };
    writer(replyWith(value));
    return {};
  })
  .addEdge(START, "answer")
  .addEdge("answer", END);
