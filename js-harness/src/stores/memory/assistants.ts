/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import {
  SkeinHttpError,
  type Assistant,
  type AssistantRepo,
  type AssistantSearchQuery,
} from "../contract.js";
import { containsJson } from "../metadata-match.js";
import { newAssistant } from "../new-rows.js";
import { assistantFilter } from "../search-filters.js";

import { compareText, copyOf, copyPage, type MemoryTables } from "./tables.js";

export function memoryAssistants(tables: MemoryTables, maxPageSize: number): AssistantRepo {
  const matching = (query: AssistantSearchQuery): Assistant[] => {
    const { graph_id, name } = assistantFilter(query);
    return [...tables.assistants.values()]
      .filter(
        (assistant) =>
          (graph_id === null || assistant.graph_id === graph_id) &&
          (name === null || assistant.name === name) &&
          containsJson(assistant.metadata, query.metadata),
      )
      .sort(
        (left, right) =>
          compareText(left.created_at, right.created_at) ||
          compareText(left.assistant_id, right.assistant_id),
      );
  };

  return {
    get: async (assistantId) => copyOf(tables.assistants.get(assistantId)),
    search: async (query) =>
      copyPage(matching(query), query.offset, Math.min(query.limit ?? maxPageSize, maxPageSize)),
    count: async (query) => matching(query).length,
    create: async (input) => {
      const assistant = newAssistant(input);
      if (tables.assistants.has(assistant.assistant_id)) {
        throw SkeinHttpError.conflict(`Assistant "${assistant.assistant_id}" exists already.`);
      }
      tables.assistants.set(assistant.assistant_id, assistant);
      return structuredClone(assistant);
    },
    delete: async (assistantId) => {
      tables.assistants.delete(assistantId);
    },
  };
}
