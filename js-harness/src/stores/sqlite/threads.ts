/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import { randomUUID } from "node:crypto";

import type { Database } from "better-sqlite3";

import {
  SkeinHttpError,
  type Thread,
  type ThreadCreate,
  type ThreadRepo,
  type ThreadSearchQuery,
  type ThreadSortBy,
} from "../contract.js";
import { expiryOf, newThread, now } from "../new-rows.js";
import { threadFilter } from "../search-filters.js";
import { THREAD_FIELDS, threadOf, type ThreadRow } from "../sql-rows.js";
import { lookupId, metadataText } from "../storable.js";

import { namedParameters, THREAD_COLUMNS } from "./columns.js";
import { inserting } from "./conflicts.js";
import { CONTAINS_JSON } from "./open-database.js";

const MATCHING = `FROM threads
  WHERE (@ids IS NULL OR thread_id IN (SELECT value FROM json_each(@ids)))
    AND (@status IS NULL OR status = @status)
    AND (@metadata IS NULL OR ${CONTAINS_JSON}(metadata, @metadata))`;

/** Only these reach the SQL text: a column cannot be a parameter. */
const SORT_COLUMNS: Record<ThreadSortBy, string> = {
  thread_id: "thread_id",
  status: "status",
  created_at: "created_at",
  updated_at: "updated_at",
};

export function sqliteThreads(database: Database, maxPageSize: number): ThreadRepo {
  const byId = database.prepare<[string | null], ThreadRow>(
    `SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = ?`,
  );
  const count = database.prepare<[object], number>(`SELECT count(*) ${MATCHING}`).pluck();
  const insert = sqliteThreadInsert(database);
  const update = database.prepare<[object], ThreadRow>(
    `UPDATE threads SET
       metadata = CASE WHEN @graph_id IS NULL THEN coalesce(@metadata, metadata)
         ELSE json_set(coalesce(@metadata, metadata), '$.graph_id', @graph_id,
                       '$.assistant_id', @assistant_id) END,
       status = coalesce(@status, status),
       "values" = coalesce(@values, "values"),
       interrupts = coalesce(@interrupts, interrupts),
       error = CASE WHEN @has_error THEN @error ELSE error END,
       updated_at = @at,
       state_updated_at = CASE WHEN @values IS NULL THEN state_updated_at ELSE @at END
     WHERE thread_id = @thread_id RETURNING ${THREAD_COLUMNS}`,
  );
  const copy = database.prepare<[object], ThreadRow>(
    `INSERT INTO threads (${THREAD_COLUMNS})
     SELECT @copy_id, status, metadata, "values", interrupts, error, @at, @at, @at
       FROM threads WHERE thread_id = @thread_id RETURNING ${THREAD_COLUMNS}`,
  );
  const expired = database
    .prepare<[string, number], string>(
      `SELECT thread_id FROM threads WHERE expires_at <= ? ORDER BY expires_at, thread_id LIMIT ?`,
    )
    .pluck();
  const removeRuns = database.prepare<[string | null]>("DELETE FROM runs WHERE thread_id = ?");
  const removeThread = database.prepare<[string | null]>("DELETE FROM threads WHERE thread_id = ?");
  // The foreign key would cascade. It is off on a connection that was opened without the pragma, and
  // results must not outlive their thread there either.
  const remove = database.transaction((threadId: string | null) => {
    removeRuns.run(threadId);
    removeThread.run(threadId);
  });

  const search = (query: ThreadSearchQuery): Thread[] => {
    const sortBy = SORT_COLUMNS[query.sortBy ?? "created_at"];
    const direction = query.sortOrder === "asc" ? "ASC" : "DESC";
    return database
      .prepare<[object], ThreadRow>(
        `SELECT ${THREAD_COLUMNS} ${MATCHING}
          ORDER BY ${sortBy} ${direction}, thread_id ${direction} LIMIT @limit OFFSET @offset`,
      )
      .all({
        ...parametersOf(query),
        limit: Math.min(query.limit ?? maxPageSize, maxPageSize),
        offset: query.offset ?? 0,
      })
      .map(threadOf);
  };
  const required = (threadId: string, row: ThreadRow | undefined): Thread => {
    if (!row) throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
    return threadOf(row);
  };

  return {
    get: async (threadId) => {
      const row = byId.get(lookupId(threadId));
      return row ? threadOf(row) : null;
    },
    list: async () => search({ sortOrder: "asc" }),
    search: async (query) => search(query),
    count: async (query) => count.get(parametersOf(query)) ?? 0,
    create: async (input = {}) => insert(input),
    update: async (threadId, patch) =>
      required(
        threadId,
        update.get({
          thread_id: lookupId(threadId),
          metadata: patch.metadata === undefined ? null : metadataText(patch.metadata),
          graph_id: patch.graph?.graph_id ?? null,
          assistant_id: patch.graph?.assistant_id ?? null,
          status: patch.status ?? null,
          values: patch.values === undefined ? null : JSON.stringify(patch.values),
          interrupts: patch.interrupts === undefined ? null : JSON.stringify(patch.interrupts),
          has_error: patch.error === undefined ? 0 : 1,
          error: patch.error == null ? null : JSON.stringify(patch.error),
          at: now(),
        }),
      ),
    copy: async (threadId) =>
      required(
        threadId,
        copy.get({ thread_id: lookupId(threadId), copy_id: randomUUID(), at: now() }),
      ),
    listExpired: async ({ now: at, limit }) => expired.all(at, Math.min(limit, maxPageSize)),
    delete: async (threadId) => remove.immediate(lookupId(threadId)),
  };
}

/** Inserts a new thread, and answers it. @throws 409 */
export function sqliteThreadInsert(database: Database): (input: ThreadCreate) => Thread {
  const insert = database.prepare<[object]>(
    `INSERT INTO threads (${THREAD_COLUMNS}, expires_at)
     VALUES (${namedParameters(THREAD_FIELDS)}, @expires_at)`,
  );
  return (input) => {
    const thread = newThread(input);
    inserting(thread.thread_id, null, () =>
      insert.run({
        ...thread,
        metadata: JSON.stringify(thread.metadata),
        values: JSON.stringify(thread.values),
        interrupts: JSON.stringify(thread.interrupts),
        error: null,
        expires_at: expiryOf(input),
      }),
    );
    return thread;
  };
}

function parametersOf(query: ThreadSearchQuery) {
  const { ids, ...filter } = threadFilter(query);
  return { ...filter, ids: ids && JSON.stringify(ids) };
}
