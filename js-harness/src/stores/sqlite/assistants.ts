/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";

import type { Assistant, AssistantRepo } from "../contract.js";
import { newAssistant } from "../new-rows.js";
import { assistantFilter } from "../search-filters.js";
import { ASSISTANT_FIELDS, assistantOf, type AssistantRow } from "../sql-rows.js";
import { lookupId } from "../storable.js";

import { ASSISTANT_COLUMNS, namedParameters } from "./columns.js";
import { inserting } from "./conflicts.js";
import { CONTAINS_JSON } from "./open-database.js";

/** Looks an assistant up, for whoever does so inside a transaction too. */
export function sqliteAssistantById(database: Database): (id: string) => Assistant | null {
  const byId = database.prepare<[string | null], AssistantRow>(
    `SELECT ${ASSISTANT_COLUMNS} FROM assistants WHERE assistant_id = ?`,
  );
  return (id) => {
    const row = byId.get(lookupId(id));
    return row ? assistantOf(row) : null;
  };
}

export function sqliteAssistants(database: Database, maxPageSize: number): AssistantRepo {
  const matching = `FROM assistants
    WHERE (@graph_id IS NULL OR graph_id = @graph_id)
      AND (@name IS NULL OR name = @name)
      AND (@metadata IS NULL OR ${CONTAINS_JSON}(metadata, @metadata))`;
  const byId = sqliteAssistantById(database);
  const search = database.prepare<[object], AssistantRow>(
    `SELECT ${ASSISTANT_COLUMNS} ${matching}
      ORDER BY created_at, assistant_id LIMIT @limit OFFSET @offset`,
  );
  const count = database.prepare<[object], number>(`SELECT count(*) ${matching}`).pluck();
  const insert = database.prepare<[object]>(
    `INSERT INTO assistants (${ASSISTANT_COLUMNS}) VALUES (${namedParameters(ASSISTANT_FIELDS)})`,
  );
  const remove = database.prepare<[string | null]>("DELETE FROM assistants WHERE assistant_id = ?");

  return {
    get: async (assistantId) => byId(assistantId),
    search: async (query) =>
      search
        .all({
          ...assistantFilter(query),
          limit: Math.min(query.limit ?? maxPageSize, maxPageSize),
          offset: query.offset ?? 0,
        })
        .map(assistantOf),
    count: async (query) => count.get(assistantFilter(query)) ?? 0,
    create: async (input) => {
      const assistant = newAssistant(input);
      inserting(assistant.assistant_id, null, () =>
        insert.run({
          ...assistant,
          description: assistant.description ?? null,
          config: JSON.stringify(assistant.config),
          context: JSON.stringify(assistant.context),
          metadata: JSON.stringify(assistant.metadata),
        }),
      );
      return assistant;
    },
    delete: async (assistantId) => {
      remove.run(lookupId(assistantId));
    },
  };
}
