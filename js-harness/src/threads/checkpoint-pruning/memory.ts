/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { MemorySaver } from "@langchain/langgraph-checkpoint";

import type { CheckpointRow, CheckpointRows } from "./checkpoint-rows.js";

/**
 * `storage` is thread, namespace, checkpoint id and then `[checkpoint, metadata, parent id]`; `writes`
 * has one flat key for each checkpoint, the JSON of `[thread, namespace, checkpoint id]`.
 */
export function memoryCheckpointRows(saver: MemorySaver): CheckpointRows {
  const list = (threadId: string): CheckpointRow[] =>
    Object.entries(saver.storage[threadId] ?? {}).flatMap(([namespace, checkpoints]) =>
      Object.entries(checkpoints)
        .map(([id, [, , parentId]]) => ({ namespace, id, parentId: parentId ?? null }))
        .sort((left, right) => (left.id < right.id ? 1 : -1)),
    );

  return {
    list: async (threadId) => list(threadId),
    // No `await` in here: nobody sees a thread that is half pruned.
    remove: async (threadId, rows) => {
      for (const { namespace, id } of rows) {
        Reflect.deleteProperty(saver.storage[threadId]?.[namespace] ?? {}, id);
        Reflect.deleteProperty(saver.writes, JSON.stringify([threadId, namespace, id]));
      }
      for (const [namespace, checkpoints] of Object.entries(saver.storage[threadId] ?? {})) {
        for (const stored of Object.values(checkpoints)) {
          const parentId = stored[2];
          if (parentId !== undefined && !(parentId in checkpoints)) stored[2] = undefined;
        }
        // The saver takes an empty namespace for one with a tip, and fails on it.
        if (Object.keys(checkpoints).length === 0) {
          Reflect.deleteProperty(saver.storage[threadId] ?? {}, namespace);
        }
      }
    },
  };
}
