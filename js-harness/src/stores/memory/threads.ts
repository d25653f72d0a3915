/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import { randomUUID } from "node:crypto";

import {
  SkeinHttpError,
  type Thread,
  type ThreadCreate,
  type ThreadRepo,
  type ThreadSearchQuery,
  type ThreadUpdate,
} from "../contract.js";
import { containsJson } from "../metadata-match.js";
import { expiryOf, newThread, now } from "../new-rows.js";
import { threadFilter } from "../search-filters.js";
import { jsonCopy, metadataText } from "../storable.js";

import { compareText, copyOf, copyPage, type MemoryTables } from "./tables.js";

/** @param eraseRun deletes a run with all that belongs to it; memory has no foreign key to do it. */
export function memoryThreads(
  tables: MemoryTables,
  maxPageSize: number,
  eraseRun: (runId: string) => void,
): ThreadRepo {
  const require = (threadId: string): Thread => {
    const thread = tables.threads.get(threadId);
    if (!thread) throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
    return thread;
  };
  const write = (thread: Thread): Thread => {
    tables.threads.set(thread.thread_id, thread);
    return structuredClone(thread);
  };
  const search = (query: ThreadSearchQuery): Thread[] =>
    copyPage(
      matchingThreads(tables, query),
      query.offset,
      Math.min(query.limit ?? maxPageSize, maxPageSize),
    );

  return {
    get: async (threadId) => copyOf(tables.threads.get(threadId)),
    list: async () => search({ sortOrder: "asc" }),
    search: async (query) => search(query),
    count: async (query) => matchingThreads(tables, query).length,
    create: async (input = {}) => insertThread(tables, input),
    update: async (threadId, patch) => write(updatedThread(require(threadId), patch)),
    copy: async (threadId) => {
      const at = now();
      return write({
        ...structuredClone(require(threadId)),
        thread_id: randomUUID(),
        created_at: at,
        updated_at: at,
        state_updated_at: at,
      });
    },
    listExpired: async ({ now: at, limit }) =>
      [...tables.threadExpiry]
        .filter(([, expiry]) => expiry <= at)
        .sort(([left, due], [right, later]) => compareText(due, later) || compareText(left, right))
        .slice(0, Math.min(limit, maxPageSize))
        .map(([threadId]) => threadId),
    delete: async (threadId) => {
      tables.threads.delete(threadId);
      tables.threadExpiry.delete(threadId);
      for (const run of [...tables.runs.values()]) {
        if (run.thread_id === threadId) eraseRun(run.run_id);
      }
    },
  };
}

/** @throws 409 for an id that is there, 400 for a lifetime that is none */
export function insertThread(tables: MemoryTables, input: ThreadCreate): Thread {
  const thread = newThread(input);
  if (tables.threads.has(thread.thread_id)) {
    throw SkeinHttpError.conflict(`Thread "${thread.thread_id}" exists already.`);
  }
  const expiry = expiryOf(input);
  if (expiry !== null) tables.threadExpiry.set(thread.thread_id, expiry);
  tables.threads.set(thread.thread_id, thread);
  return structuredClone(thread);
}

function matchingThreads(tables: MemoryTables, query: ThreadSearchQuery): Thread[] {
  const { ids, status } = threadFilter(query);
  const sortBy = query.sortBy ?? "created_at";
  const direction = query.sortOrder === "asc" ? 1 : -1;
  return [...tables.threads.values()]
    .filter(
      (thread) =>
        (ids === null || ids.includes(thread.thread_id)) &&
        (status === null || thread.status === status) &&
        containsJson(thread.metadata, query.metadata),
    )
    .sort(
      (left, right) =>
        direction *
        (compareText(left[sortBy], right[sortBy]) || compareText(left.thread_id, right.thread_id)),
    );
}

function updatedThread(existing: Thread, patch: ThreadUpdate): Thread {
  const at = now();
  const { error: earlier, ...rest } = existing;
  const error = patch.error === undefined ? earlier : patch.error;
  return {
    ...rest,
    metadata: {
      ...(patch.metadata === undefined
        ? existing.metadata
        : (JSON.parse(metadataText(patch.metadata)) as Thread["metadata"])),
      ...patch.graph,
    },
    status: patch.status ?? existing.status,
    values: patch.values === undefined ? existing.values : jsonCopy(patch.values),
    interrupts: patch.interrupts === undefined ? existing.interrupts : jsonCopy(patch.interrupts),
    updated_at: at,
    state_updated_at: patch.values === undefined ? existing.state_updated_at : at,
    ...(error === undefined || error === null ? {} : { error }),
  };
}
