// A thread's state and history. They live in the saver and are read through the thread's graph.

import type { StateSnapshot } from "@langchain/langgraph";

import { checkpointOf } from "../engine/outcome.js";
import type { CompiledGraph, GraphRegistry } from "../engine/graph.js";
import type {
  Checkpoint,
  DefaultValues,
  SkeinStore,
  Thread,
  ThreadState,
} from "../stores/contract.js";

const DEFAULT_HISTORY_LIMIT = 10;

/** Which of a thread's states to read, newest first. */
export interface HistoryQuery {
  limit?: number;
  /** Only states older than this checkpoint. */
  before?: string;
  /** Only states whose checkpoint metadata has these values. */
  metadata?: Record<string, unknown>;
  /** States of a subgraph; the graph's own when absent. */
  checkpointNs?: string;
}

/**
 * The graph that wrote a thread's state: that of its latest run, or the one its metadata names. A
 * thread that has neither has no state that could be read.
 */
export async function graphOfThread(
  store: SkeinStore,
  graphs: GraphRegistry,
  thread: Thread,
): Promise<CompiledGraph | undefined> {
  const run = await store.runs.latestForThread(thread.thread_id);
  const assistant = run && (await store.assistants.get(run.assistant_id));
  const named = thread.metadata?.["graph_id"];
  const graphId = assistant?.graph_id ?? (typeof named === "string" ? named : undefined);
  return graphId === undefined ? undefined : graphs.get(graphId);
}

export async function readState(
  graph: CompiledGraph | undefined,
  threadId: string,
  at: Partial<Pick<Checkpoint, "checkpoint_id" | "checkpoint_ns">> = {},
): Promise<ThreadState> {
  if (!graph) return emptyState(threadId);
  return toThreadState(
    threadId,
    await graph.getState({ configurable: { ...at, thread_id: threadId } }),
  );
}

export async function readHistory(
  graph: CompiledGraph | undefined,
  threadId: string,
  query: HistoryQuery,
): Promise<ThreadState[]> {
  if (!graph) return [];
  const { limit = DEFAULT_HISTORY_LIMIT, before, metadata, checkpointNs = "" } = query;
  if (limit === 0) return [];
  const snapshots = graph.getStateHistory(
    { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs } },
    {
      // To the saver, not only to this loop: Postgres would load the whole history before the first.
      limit,
      ...(before === undefined
        ? {}
        : { before: { configurable: { thread_id: threadId, checkpoint_id: before } } }),
      ...(metadata === undefined ? {} : { filter: metadata }),
    },
  );
  const states: ThreadState[] = [];
  for await (const snapshot of snapshots) states.push(toThreadState(threadId, snapshot));
  return states;
}

function emptyState(threadId: string): ThreadState {
  return {
    values: {},
    next: [],
    checkpoint: noCheckpoint(threadId),
    metadata: {},
    created_at: null,
    parent_checkpoint: null,
    tasks: [],
  };
}

function noCheckpoint(thread_id: string): Checkpoint {
  return { thread_id, checkpoint_ns: "", checkpoint_id: null, checkpoint_map: null };
}

function toThreadState(threadId: string, snapshot: StateSnapshot): ThreadState {
  return {
    values: snapshot.values as DefaultValues,
    next: [...snapshot.next],
    checkpoint: checkpointOf(snapshot.config) ?? noCheckpoint(threadId),
    metadata: snapshot.metadata ?? {},
    created_at: snapshot.createdAt ?? null,
    parent_checkpoint: checkpointOf(snapshot.parentConfig),
    tasks: snapshot.tasks.map((task) => ({
      id: task.id,
      name: task.name,
      ...(task.result === undefined ? {} : { result: task.result }),
      error: taskError(task.error),
      interrupts: [...task.interrupts],
      checkpoint: null,
      state: null,
    })),
  };
}

/** The SDK parses this text as JSON, so an error object must not become `[object Object]`. */
function taskError(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  return typeof error === "string" ? error : JSON.stringify(error);
}
