import { randomUUID } from "node:crypto";

import type { Pool } from "pg";

import {
  SkeinHttpError,
  type Thread,
  type ThreadRepo,
  type ThreadSearchQuery,
  type ThreadSortBy,
} from "../contract.js";
import { expiryOf, newThread, now } from "../new-rows.js";
import { threadFilter } from "../search-filters.js";
import { threadOf, type ThreadRow } from "../sql-rows.js";
import { lookupId, metadataText } from "../storable.js";

import { THREAD_COLUMNS } from "./columns.js";
import { inserting, insertRow } from "./insert.js";

const MATCHING = `FROM threads
  WHERE ($1::text[] IS NULL OR thread_id = ANY ($1))
    AND ($2::text IS NULL OR status = $2)
    AND ($3::jsonb IS NULL OR metadata @> $3::jsonb)`;

/**
 * Only these reach the SQL text: a column cannot be a parameter. The table is named, because the bare
 * name of a time is the text that it is read as.
 */
const SORT_COLUMNS: Record<ThreadSortBy, string> = {
  thread_id: `threads.thread_id COLLATE "C"`,
  status: `threads.status COLLATE "C"`,
  created_at: "threads.created_at",
  updated_at: "threads.updated_at",
};

export function postgresThreads(pool: Pool, maxPageSize: number): ThreadRepo {
  const search = async (query: ThreadSearchQuery): Promise<Thread[]> => {
    const direction = query.sortOrder === "asc" ? "ASC" : "DESC";
    const limit = Math.min(query.limit ?? maxPageSize, maxPageSize);
    const { rows } = await pool.query<ThreadRow>(
      `SELECT ${THREAD_COLUMNS} ${MATCHING}
        ORDER BY ${SORT_COLUMNS[query.sortBy ?? "created_at"]} ${direction},
                 threads.thread_id COLLATE "C" ${direction} LIMIT $4 OFFSET $5`,
      [...parametersOf(query), limit, query.offset ?? 0],
    );
    return rows.map(threadOf);
  };
  const required = (threadId: string, row: ThreadRow | undefined): Thread => {
    if (!row) throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
    return threadOf(row);
  };

  return {
    get: async (threadId) => {
      const { rows } = await pool.query<ThreadRow>(
        `SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = $1`,
        [lookupId(threadId)],
      );
      return rows[0] ? threadOf(rows[0]) : null;
    },
    list: () => search({ sortOrder: "asc" }),
    search,
    count: async (query) => {
      const { rows } = await pool.query<{ count: string }>(
        `SELECT count(*)::text AS count ${MATCHING}`,
        parametersOf(query),
      );
      return Number(rows[0]?.count ?? 0);
    },
    create: async (input = {}) => {
      const thread = newThread(input);
      await inserting(thread.thread_id, null, () =>
        insertRow(pool, "threads", threadColumns(thread, expiryOf(input))),
      );
      return thread;
    },
    update: async (threadId, patch) => {
      const { rows } = await pool.query<ThreadRow>(
        `UPDATE threads SET
           metadata = coalesce($2::jsonb, metadata) || coalesce($9::jsonb, '{}'),
           status = coalesce($3::text, status),
           "values" = coalesce($4::json, "values"),
           interrupts = coalesce($5::json, interrupts),
           error = CASE WHEN $6::boolean THEN $7::json ELSE error END,
           updated_at = $8::timestamptz,
           state_updated_at = CASE WHEN $4::json IS NULL THEN state_updated_at
                                   ELSE $8::timestamptz END
         WHERE thread_id = $1 RETURNING ${THREAD_COLUMNS}`,
        [
          lookupId(threadId),
          patch.metadata === undefined ? null : metadataText(patch.metadata),
          patch.status ?? null,
          patch.values === undefined ? null : JSON.stringify(patch.values),
          patch.interrupts === undefined ? null : JSON.stringify(patch.interrupts),
          patch.error !== undefined,
          patch.error == null ? null : JSON.stringify(patch.error),
          now(),
          patch.graph === undefined ? null : metadataText(patch.graph),
        ],
      );
      return required(threadId, rows[0]);
    },
    copy: async (threadId) => {
      const { rows } = await pool.query<ThreadRow>(
        `INSERT INTO threads (thread_id, status, metadata, "values", interrupts, error,
                              created_at, updated_at, state_updated_at)
         SELECT $2::text, status, metadata, "values", interrupts, error,
                $3::timestamptz, $3::timestamptz, $3::timestamptz
           FROM threads WHERE thread_id = $1 RETURNING ${THREAD_COLUMNS}`,
        [lookupId(threadId), randomUUID(), now()],
      );
      return required(threadId, rows[0]);
    },
    listExpired: async ({ now: at, limit }) => {
      const { rows } = await pool.query<{ thread_id: string }>(
        `SELECT thread_id FROM threads WHERE expires_at <= $1::timestamptz
          ORDER BY expires_at, thread_id COLLATE "C" LIMIT $2`,
        [at, Math.min(limit, maxPageSize)],
      );
      return rows.map(({ thread_id }) => thread_id);
    },
    // Runs, and the results in their rows, go with it by foreign key.
    delete: async (threadId) => {
      await pool.query("DELETE FROM threads WHERE thread_id = $1", [lookupId(threadId)]);
    },
  };
}

/** The columns of a thread, and their types. */
export const THREAD_TYPES = {
  thread_id: "text",
  status: "text",
  metadata: "jsonb",
  values: "json",
  interrupts: "json",
  error: "json",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  state_updated_at: "timestamptz",
};

/** A new thread as its row is inserted. */
export function threadColumns(thread: Thread, expires_at: string | null) {
  return {
    ...thread,
    metadata: JSON.stringify(thread.metadata),
    values: JSON.stringify(thread.values),
    interrupts: JSON.stringify(thread.interrupts),
    expires_at,
  };
}

function parametersOf(query: ThreadSearchQuery): unknown[] {
  const filter = threadFilter(query);
  return [filter.ids, filter.status, filter.metadata];
}
