import type { RunKwargs } from "./runs.js";
import type { Assistant, Run, Thread } from "./wire.js";

/** Every row of a store as JSON, each under its id: the unit in which stores are saved and moved. */
export interface SkeinStoreSnapshot {
  assistants: [string, Assistant][];
  threads: [string, Thread][];
  runs: [string, Run][];
  /** By run id. */
  runKwargs: [string, RunKwargs][];
}
