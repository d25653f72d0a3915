// A store as one caller may use it, made for each request. What belongs to somebody else reads as what
// does not exist, in the answer and in the error. Every method is named here and nothing is inherited:
// what a store gains later is not there for a caller until somebody has thought about it.

import {
  SkeinHttpError,
  type RunCreate,
  type RunRepo,
  type SkeinStore,
  type Thread,
  type ThreadRepo,
  type ThreadSearchQuery,
} from "../stores/contract.js";
import { containsJson } from "../stores/metadata-match.js";

import type { Caller } from "./caller.js";
import { offers } from "./offers.js";
import { OWNER_KEY, ownerOf, owns, requireWrite, stamped } from "./ownership.js";
import { scopedResults } from "./scoped-results.js";

/**
 * The store, scoped to a caller. Assistants belong to everybody; deliveries, the sweep and snapshots
 * are the server's own and not there.
 */
export function scopedStore(inner: SkeinStore, caller: Caller): SkeinStore {
  const threads = scopedThreads(inner.threads, caller);
  return {
    assistants: {
      get: (assistantId) => inner.assistants.get(assistantId),
      search: (query) => inner.assistants.search(query),
      count: (query) => inner.assistants.count(query),
      create: (input) => allowed(caller, () => inner.assistants.create(input)),
      delete: (assistantId) => allowed(caller, () => inner.assistants.delete(assistantId)),
    },
    threads,
    runs: scopedRuns(inner.runs, threads, caller),
    // Named, because a spread would lose what a class has as a getter.
    ...(inner.durable === undefined ? {} : { durable: inner.durable }),
    ...(inner.maxPageSize === undefined ? {} : { maxPageSize: inner.maxPageSize }),
  };
}

async function allowed<T>(caller: Caller, write: () => Promise<T>): Promise<T> {
  requireWrite(caller);
  return write();
}

function scopedThreads(inner: ThreadRepo, caller: Caller): ThreadRepo {
  const owner = ownerOf(caller);
  const get = async (threadId: string): Promise<Thread | null> => {
    const thread = await inner.get(threadId);
    return thread && owns(owner, thread) ? thread : null;
  };
  const require = async (threadId: string): Promise<void> => {
    if (!(await get(threadId))) throw SkeinHttpError.notFound(`Thread "${threadId}" not found.`);
  };
  /** Null where the caller asks for what belongs to somebody else. */
  const ownQuery = (query: ThreadSearchQuery): ThreadSearchQuery | null => {
    const asked = query.metadata?.[OWNER_KEY];
    if (asked !== undefined && !containsJson(owner, asked)) return null;
    return { ...query, metadata: stamped(query.metadata, owner) };
  };
  const search = async (query: ThreadSearchQuery): Promise<Thread[]> => {
    const own = ownQuery(query);
    return own ? (await inner.search(own)).filter((thread) => owns(owner, thread)) : [];
  };

  const copyingRuns = (
    copying: Pick<Required<ThreadRepo>, "copyWithRuns">,
  ): Pick<ThreadRepo, "copyWithRuns" | "copiesIn"> => ({
    ...(inner.copiesIn === undefined ? {} : { copiesIn: inner.copiesIn }),
    copyWithRuns: (threadId, copy) =>
      allowed(caller, async () => {
        await require(threadId);
        return copying.copyWithRuns(threadId, copy);
      }),
  });

  return {
    get,
    list: () => search({ sortBy: "created_at", sortOrder: "asc" }),
    search,
    count: async (query) => {
      const own = ownQuery(query);
      return own ? inner.count(own) : 0;
    },
    create: (input = {}) =>
      allowed(caller, async () => {
        // "Exists already" would tell that somebody else has it.
        const existing = input.thread_id === undefined ? null : await inner.get(input.thread_id);
        if (existing && !owns(owner, existing)) {
          throw SkeinHttpError.notFound(`Thread "${existing.thread_id}" not found.`);
        }
        return inner.create({ ...input, metadata: stamped(input.metadata, owner) });
      }),
    update: (threadId, patch) =>
      allowed(caller, async () => {
        await require(threadId);
        const { metadata } = patch;
        const own = metadata === undefined ? {} : { metadata: stamped(metadata, owner) };
        return inner.update(threadId, { ...patch, ...own });
      }),
    // The copy has the metadata of its source, and with it the owner.
    copy: (threadId) =>
      allowed(caller, async () => {
        await require(threadId);
        return inner.copy(threadId);
      }),
    ...(offers(inner, "copyWithRuns") ? copyingRuns(inner) : {}),
    delete: (threadId) =>
      allowed(caller, async () => {
        if (await get(threadId)) await inner.delete(threadId);
      }),
  };
}

function scopedRuns(inner: RunRepo, threads: ThreadRepo, caller: Caller): RunRepo {
  const owner = ownerOf(caller);
  const get: RunRepo["get"] = async (runId) => {
    const run = await inner.get(runId);
    return run && owns(owner, run) ? run : null;
  };
  const mayRead = async (runId: string): Promise<boolean> => (await get(runId)) !== null;
  const isOwnThread = async (threadId: string): Promise<boolean> =>
    (await threads.get(threadId)) !== null;
  /** An id that somebody else's run has must not lead to its being written over. */
  const owned = async (input: RunCreate): Promise<RunCreate> => {
    const existing = input.run_id === undefined ? null : await inner.get(input.run_id);
    if (existing && !owns(owner, existing)) {
      throw SkeinHttpError.conflict(`"${existing.run_id}" exists already.`);
    }
    return { ...input, metadata: stamped(input.metadata, owner) };
  };

  const finalizing = (
    final: Pick<Required<RunRepo>, "finalizeWithDelivery">,
  ): Pick<RunRepo, "finalizeWithDelivery"> => ({
    finalizeWithDelivery: (runId, write) =>
      allowed(caller, async () => {
        if (!(await mayRead(runId))) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
        return final.finalizeWithDelivery(runId, write);
      }),
  });

  const resuming = (
    store: Pick<Required<RunRepo>, "createResume">,
  ): Pick<RunRepo, "createResume"> => ({
    createResume: (input, pausedRunId) =>
      allowed(caller, async () => {
        if (!(await isOwnThread(input.thread_id)) || !(await mayRead(pausedRunId))) return null;
        return store.createResume(await owned(input), pausedRunId);
      }),
  });

  const onNewThreads = (
    store: Pick<Required<RunRepo>, "createOnNewThread">,
  ): Pick<RunRepo, "createOnNewThread"> => ({
    createOnNewThread: (input, thread = {}) =>
      allowed(caller, async () => {
        const own = { ...thread, metadata: stamped(thread.metadata, owner) };
        return store.createOnNewThread(await owned(input), own);
      }),
  });

  return {
    get,
    // The page is cut here, so that it is a page of the caller's own runs.
    listByThread: async (threadId, { offset = 0, limit, ...filter } = {}) => {
      const runs = await inner.listByThread(threadId, filter);
      const own = runs.filter((run) => owns(owner, run));
      return own.slice(offset, limit === undefined ? undefined : offset + limit);
    },
    create: (input) =>
      allowed(caller, async () => {
        if (!(await isOwnThread(input.thread_id))) {
          throw SkeinHttpError.notFound(`Thread "${input.thread_id}" not found.`);
        }
        return inner.create(await owned(input));
      }),
    createIfThreadIdle: (input) =>
      allowed(caller, async () =>
        (await isOwnThread(input.thread_id)) ? inner.createIfThreadIdle(await owned(input)) : null,
      ),
    setStatus: (runId, status, error) =>
      allowed(caller, async () => {
        if (!(await mayRead(runId))) throw SkeinHttpError.notFound(`Run "${runId}" not found.`);
        return inner.setStatus(runId, status, error);
      }),
    delete: (runId) =>
      allowed(caller, async () => {
        if (await mayRead(runId)) await inner.delete(runId);
      }),
    getKwargs: async (runId) => ((await mayRead(runId)) ? inner.getKwargs(runId) : null),
    recordBaseCheckpoint: (runId, baseCheckpointId) =>
      allowed(caller, async () => {
        if (await mayRead(runId)) await inner.recordBaseCheckpoint(runId, baseCheckpointId);
      }),
    // On a thread of the caller's own these see every run, whoever started it: they keep two runs from
    // executing on one thread.
    hasActiveRun: async (threadId) =>
      (await isOwnThread(threadId)) && (await inner.hasActiveRun(threadId)),
    listActiveRuns: async (threadId) => {
      if (threadId === undefined) {
        return (await inner.listActiveRuns()).filter((run) => owns(owner, run));
      }
      return (await isOwnThread(threadId)) ? inner.listActiveRuns(threadId) : [];
    },
    latestForThread: async (threadId) =>
      (await isOwnThread(threadId)) ? inner.latestForThread(threadId) : null,
    ...(offers(inner, "finalizeWithDelivery") ? finalizing(inner) : {}),
    ...(offers(inner, "createResume") ? resuming(inner) : {}),
    ...(offers(inner, "createOnNewThread") ? onNewThreads(inner) : {}),
    ...scopedResults(inner, caller, mayRead),
  };
}
