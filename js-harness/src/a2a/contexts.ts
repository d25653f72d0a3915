// Contexts that a caller has named. The protocol lets a client choose the name of a context, and two
// callers may choose the same one; neither may get into the other's thread, or learn that there is one. So
// a name that is no thread of the caller's own stands for a thread whose id is made of both, the caller
// and the name.

import { createHash } from "node:crypto";

import type { A2AThreads } from "skein-results/a2a";

import type { Caller } from "../auth/caller.js";
import type { ThreadRepo } from "../stores/contract.js";
import { getOrCreateThread } from "../threads/get-or-create.js";
import type { ThreadService } from "../threads/thread-service.js";

/** The threads of a host by the names that one caller, or everybody, knows them by. */
export function contextThreads(
  repo: ThreadRepo,
  service: ThreadService,
  caller: Caller | undefined,
): A2AThreads {
  return {
    get: async (contextId) =>
      (await repo.get(contextId)) ?? repo.get(contextThreadId(contextId, caller)),
    create: (contextId) =>
      contextId === undefined
        ? service.create()
        : getOrCreateThread(repo, contextThreadId(contextId, caller)),
  };
}

/** The id of the thread that a name stands for, where it is no thread of the caller's own. */
export function contextThreadId(contextId: string, caller: Caller | undefined): string {
  const owned = JSON.stringify([caller?.tenant ?? null, caller?.user ?? null, contextId]);
  return `context-${createHash("sha256").update(owned).digest("hex").slice(0, 40)}`;
}
