// A LangGraph graph, as far as the engine uses one.

import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot, StreamMode } from "@langchain/langgraph";
import type { BaseCheckpointSaver, CheckpointListOptions } from "@langchain/langgraph-checkpoint";

import { SkeinHttpError, type Assistant, type AssistantRepo } from "../stores/contract.js";

/** A graph that has not been compiled, such as a `StateGraph`: the host compiles it with its own saver. */
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

export interface ServedAssistant {
  assistant: Assistant;
  graph: CompiledGraph;
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
    return (await this.served(assistants, assistantId)).graph;
  }

  /** The graph with the assistant that it is the graph of. @throws as {@link forAssistant} */
  async served(assistants: AssistantRepo, assistantId: string): Promise<ServedAssistant> {
    const assistant = await assistants.get(assistantId);
    if (!assistant) throw SkeinHttpError.notFound(`Assistant "${assistantId}" not found.`);
    const graph = this.get(assistant.graph_id);
    if (!graph) throw SkeinHttpError.notFound(`Graph "${assistant.graph_id}" is not served here.`);
    return { assistant, graph };
  }
}
