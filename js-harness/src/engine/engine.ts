// Everything that an execution needs, assembled once for a host.

import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

import type { SkeinStore, ThreadExecutionGate } from "../stores/contract.js";

import { RunControls } from "./cancellation.js";
import { DeliveryWorker } from "./delivery-worker.js";
import { RunEventBus } from "./event-bus.js";
import { GraphRegistry, type Graph } from "./graph.js";
import { RunEndings } from "./run-endings.js";
import { SaverWrites } from "./saver-writes.js";
import { ThreadLocks } from "./thread-locks.js";

/** Where the server says what went wrong and was not anybody's answer. */
export type Log = (message: string, error?: unknown) => void;

export interface EngineOptions {
  store: SkeinStore;
  saver: BaseCheckpointSaver;
  graphs: Readonly<Record<string, Graph>>;
  /** Serializes the executions of a thread across processes; within one it always holds. */
  gate?: ThreadExecutionGate;
  /** Time limit of a run. */
  runTimeoutMs?: number;
  log: Log;
}

export interface Engine {
  readonly store: SkeinStore;
  readonly saver: BaseCheckpointSaver;
  readonly graphs: GraphRegistry;
  /** The checkpoints that graphs are writing. */
  readonly saverWrites: SaverWrites;
  readonly bus: RunEventBus;
  readonly controls: RunControls;
  readonly endings: RunEndings;
  readonly deliveries: DeliveryWorker;
  /** Held while a run is admitted to its thread. */
  readonly admissionLocks: ThreadLocks;
  /** Held while a thread executes; see `withThreadExecution`. */
  readonly executionLocks: ThreadLocks;
  /** By run: the step to `running` and a cancellation exclude each other. */
  readonly startLocks: ThreadLocks;
  readonly gate?: ThreadExecutionGate;
  readonly runTimeoutMs?: number;
  readonly log: Log;
}

export function createEngine({ graphs, ...options }: EngineOptions): Engine {
  const { store, saver, log } = options;
  const saverWrites = new SaverWrites();
  return {
    ...options,
    saverWrites,
    graphs: new GraphRegistry(graphs, saverWrites.watched(saver)),
    bus: new RunEventBus(),
    controls: new RunControls(),
    endings: new RunEndings(),
    deliveries: new DeliveryWorker(store.deliveries, log),
    admissionLocks: new ThreadLocks(),
    executionLocks: new ThreadLocks(),
    startLocks: new ThreadLocks(),
  };
}
