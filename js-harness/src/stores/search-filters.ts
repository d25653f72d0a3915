// What a search asks for, with null where it does not constrain. What no store can hold is refused by
// all of them (400): nothing could match it, and Postgres would fail over it.

import type { AssistantSearchQuery, ThreadSearchQuery, ThreadStatus } from "./contract.js";
import { metadataText, requireStorableText } from "./storable.js";

export interface AssistantFilter {
  graph_id: string | null;
  name: string | null;
  /** JSON text. */
  metadata: string | null;
}

export interface ThreadFilter {
  ids: string[] | null;
  status: ThreadStatus | null;
  /** JSON text. */
  metadata: string | null;
}

export function assistantFilter({
  graph_id,
  name,
  metadata,
}: AssistantSearchQuery): AssistantFilter {
  return {
    graph_id: graph_id === undefined ? null : requireStorableText(graph_id, "graph_id"),
    name: name === undefined ? null : requireStorableText(name, "name"),
    metadata: metadata ? metadataText(metadata) : null,
  };
}

export function threadFilter({ ids, status, metadata }: ThreadSearchQuery): ThreadFilter {
  return {
    ids: ids?.map((id) => requireStorableText(id, "ids")) ?? null,
    status: status ?? null,
    metadata: metadata ? metadataText(metadata) : null,
  };
}
