import type { Pool } from "pg";

import type { AssistantRepo, AssistantSearchQuery } from "../contract.js";
import { newAssistant } from "../new-rows.js";
import { assistantFilter } from "../search-filters.js";
import { assistantOf, type AssistantRow } from "../sql-rows.js";
import { lookupId } from "../storable.js";

import { ASSISTANT_COLUMNS } from "./columns.js";
import { inserting, insertRow } from "./insert.js";

const MATCHING = `FROM assistants
  WHERE ($1::text IS NULL OR graph_id = $1)
    AND ($2::text IS NULL OR name = $2)
    AND ($3::jsonb IS NULL OR metadata @> $3::jsonb)`;

export function postgresAssistants(pool: Pool, maxPageSize: number): AssistantRepo {
  return {
    get: async (assistantId) => {
      const { rows } = await pool.query<AssistantRow>(
        `SELECT ${ASSISTANT_COLUMNS} FROM assistants WHERE assistant_id = $1`,
        [lookupId(assistantId)],
      );
      return rows[0] ? assistantOf(rows[0]) : null;
    },
    search: async (query) => {
      const limit = Math.min(query.limit ?? maxPageSize, maxPageSize);
      const { rows } = await pool.query<AssistantRow>(
        `SELECT ${ASSISTANT_COLUMNS} ${MATCHING}
          ORDER BY assistants.created_at, assistant_id COLLATE "C" LIMIT $4 OFFSET $5`,
        [...parametersOf(query), limit, query.offset ?? 0],
      );
      return rows.map(assistantOf);
    },
    count: async (query) => {
      const { rows } = await pool.query<{ count: string }>(
        `SELECT count(*)::text AS count ${MATCHING}`,
        parametersOf(query),
      );
      return Number(rows[0]?.count ?? 0);
    },
    create: async (input) => {
      const assistant = newAssistant(input);
      await inserting(assistant.assistant_id, null, () =>
        insertRow(pool, "assistants", {
          ...assistant,
          config: JSON.stringify(assistant.config),
          context: JSON.stringify(assistant.context),
          metadata: JSON.stringify(assistant.metadata),
        }),
      );
      return assistant;
    },
    delete: async (assistantId) => {
      await pool.query("DELETE FROM assistants WHERE assistant_id = $1", [lookupId(assistantId)]);
    },
  };
}

function parametersOf(query: AssistantSearchQuery): unknown[] {
  const filter = assistantFilter(query);
  return [filter.graph_id, filter.name, filter.metadata];
}
