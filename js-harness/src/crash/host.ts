// The host of the crash tests, in the process that dies and in the one that comes after it.

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

import { inTwoSteps } from "../engine/testing/store-wrappers.js";
import { graphs } from "../graphs/index.js";
import { openPostgresHost, openSqliteHost, type Host } from "../host.js";
import type { DatabasePlace } from "../invariants/rows.js";
import { nested } from "../testing/hostile.js";

const State = Annotation.Root({ value: Annotation<unknown>, deep: Annotation<unknown> });

/** Ends in a state that a saver holds and that is nested too deep for a result. */
const uncapturable = new StateGraph(State)
  .addNode("answer", () => ({ deep: nested(1_200) }))
  .addEdge(START, "answer")
  .addEdge("answer", END);

/** Opens a host on a database. A run that was left in flight is executed at once. */
export function openCrashHost(
  place: DatabasePlace,
  support: "one-write" | "two-steps" = "one-write",
): Promise<Host> {
  const settings = {
    graphs: { ...graphs, uncapturable },
    log: () => undefined,
    shutdownGraceMs: 100,
    ...(support === "two-steps" ? { storeSeen: inTwoSteps } : {}),
  };
  return place.kind === "sqlite"
    ? openSqliteHost({ ...settings, path: place.at })
    : openPostgresHost({ ...settings, url: place.at });
}
