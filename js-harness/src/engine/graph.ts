// A LangGraph graph, as far as the engine uses one.

import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot, StreamMode } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointListOptions } from "@langchain/langgraph-checkpoint";

import { SkeinHttpError, type Assistant, type AssistantRepo } from "../stores/contract.js";

/**
 * A graph that has not been compiled, such as a `StateGraph`: the host compiles it with its own saver. A graph
 * that uses another one cannot be rolled back.
 */
export interface Graph {
  compile(options: { checkpointer: BaseCheckpointSaver }): CompiledGraph;
}

/** How a compiled graph is called. */
export interface GraphCallOptions {
  configurable: Record<string, unknown>;
  streamMode: StreamMode[];
  signal: AbortSignal;
  context?: Record<string, unknown>;
  recursionLimit?: number;
  interruptBefore?: NodeNames;
  interruptAfter?: NodeNames;
}

/** A graph's type knows the names of its own nodes only; those of a request are known to none. */
export type NodeNames = never[] | "*";

export interface CompiledGraph {
  stream(input: unknown, options: GraphCallOptions): Promise<AsyncIterable<unknown>>;
  getState(config: RunnableConfig): Promise<StateSnapshot>;
  getStateHistory(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncIterable<StateSnapshot>;
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
}

/** The graphs a host serves, each compiled once with the host's saver. */
export class GraphRegistry {
  readonly #compiled: ReadonlyMap<string, CompiledGraph>;

  constructor(graphs: Readonly<Record<string, Graph>>, checkpointer: BaseCheckpointSaver) {
    this.#compiled = new Map(
      Object.entries(graphs).map(([id, graph]) => [id, graph.compile({ checkpointer })]),
    );
  }

  get ids(): string[] {
    return [...this.#compiled.keys()];
  }

  get(graphId: string): CompiledGraph | undefined {
    return this.#compiled.get(graphId);
  }

  /** @throws 404 for an unknown assistant, and for one whose graph this host does not serve */
  async forAssistant(assistants: AssistantRepo, assistantId: string): Promise<CompiledGraph> {
    return this.graphOf(await requireAssistant(assistants, assistantId));
  }

  /** @throws 404 for a graph that this host does not serve */
  graphOf(assistant: Assistant): CompiledGraph {
    const graph = this.get(assistant.graph_id);
    if (!graph) throw SkeinHttpError.notFound(`Graph "${assistant.graph_id}" is not served here.`);
    return graph;
  }
}

/** @throws 404 */
export async function requireAssistant(
  assistants: AssistantRepo,
  assistantId: string,
): Promise<Assistant> {
  const assistant = await assistants.get(assistantId);
  if (!assistant) throw SkeinHttpError.notFound(`Assistant "${assistantId}" not found.`);
  return assistant;
}
