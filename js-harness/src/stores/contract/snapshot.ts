import type { SnapshotResults } from "skein-results";

import type { SkeinStore } from "../contract.js";

import type { RunKwargs } from "./runs.js";
import type { Assistant, Run, Thread } from "./wire.js";

/** Every row of a store as JSON, each under its id: the unit in which stores are saved and moved. */
export interface SkeinStoreSnapshot {
  /** Absent in what was written before results existed. */
  version?: number;
  assistants: [string, Assistant][];
  threads: [string, Thread][];
  /** In the order of their creation. */
  runs: [string, Run][];
  /** By run id. */
  runKwargs: [string, RunKwargs][];
  /** Absent, or empty, where no run has one. */
  results?: SnapshotResults | null;
}

/** A store whose rows can be saved and loaded. Only tools need it, so it is no part of the seam. */
export interface SnapshotStore extends SkeinStore {
  /** The rows as they are at one moment, with the results of the runs among them. */
  snapshot(): Promise<SkeinStoreSnapshot>;
  /**
   * Adds what is absent, in one step: ids and times stay as they are, and a row that is there is left
   * alone, with its result. A run whose thread is neither imported nor there is left out.
   *
   * @throws for a snapshot that cannot be read, before anything is written: 400, or the package's
   * `invalid_snapshot`
   */
  restore(snapshot: SkeinStoreSnapshot): Promise<void>;
}

/** A store that can be replaced as a whole. */
export interface HydratableStore extends SnapshotStore {
  /** Replaces all rows, at once. @throws as `restore` */
  hydrate(snapshot: SkeinStoreSnapshot): void;
}
