import {
  SkeinHttpError,
  type Thread,
  type ThreadCreate,
  type ThreadRepo,
} from "../stores/contract.js";

/**
 * The thread with this id, created if nobody has. The store decides which of two callers creates it;
 * the other one finds it made.
 */
export async function getOrCreateThread(
  threads: ThreadRepo,
  threadId: string,
  create: Omit<ThreadCreate, "thread_id"> = {},
): Promise<Thread> {
  try {
    return await threads.create({ ...create, thread_id: threadId });
  } catch (error) {
    if (!(error instanceof SkeinHttpError && error.status === 409)) throw error;
    const existing = await threads.get(threadId);
    if (!existing) throw error;
    return existing;
  }
}
