// Assistants: a graph under a name, with the configuration it runs with.

import type { Pagination } from "./pagination.js";
import type { Assistant, Config, Metadata } from "./wire.js";

export interface AssistantCreate {
  graph_id: string;
  /** Assigned by the store when absent. */
  assistant_id?: string;
  /** The graph's id when absent. */
  name?: string;
  description?: string;
  config?: Config;
  context?: unknown;
  metadata?: Metadata;
}

/** Absent fields do not constrain. */
export interface AssistantSearchQuery extends Pagination {
  graph_id?: string;
  name?: string;
  /** Assistants whose metadata contains this. */
  metadata?: Metadata;
}

export interface AssistantRepo {
  get(assistantId: string): Promise<Assistant | null>;
  /** Oldest first. */
  search(query: AssistantSearchQuery): Promise<Assistant[]>;
  count(query: AssistantSearchQuery): Promise<number>;
  /** Refuses an id that exists (409): several servers register the same graphs when they start. */
  create(input: AssistantCreate): Promise<Assistant>;
  delete(assistantId: string): Promise<void>;
}
