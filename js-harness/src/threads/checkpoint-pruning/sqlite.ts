/* eslint-disable @typescript-eslint/require-await -- `async` makes a rejection of what is thrown */

import type { Database } from "better-sqlite3";

import type { CheckpointRow, CheckpointRows } from "./checkpoint-rows.js";

/** Tables `checkpoints` and `writes`; a checkpoint's values stand in its own row. */
export function sqliteCheckpointRows(database: Database): CheckpointRows {
  const removeRows = (threadId: string, rows: readonly CheckpointRow[]): void => {
    const removal = [
      database.prepare(
        "DELETE FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
      ),
      database.prepare(
        "DELETE FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
      ),
    ];
    for (const { namespace, id } of rows) {
      for (const statement of removal) statement.run(threadId, namespace, id);
    }
    database
      .prepare(
        `UPDATE checkpoints SET parent_checkpoint_id = NULL
         WHERE thread_id = ? AND parent_checkpoint_id IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM checkpoints AS parent
           WHERE parent.thread_id = checkpoints.thread_id
             AND parent.checkpoint_ns = checkpoints.checkpoint_ns
             AND parent.checkpoint_id = checkpoints.parent_checkpoint_id)`,
      )
      .run(threadId);
  };

  return {
    list: async (threadId) =>
      database
        .prepare<[string], CheckpointRow>(
          `SELECT checkpoint_ns AS namespace, checkpoint_id AS id, parent_checkpoint_id AS parentId
           FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_ns, checkpoint_id DESC`,
        )
        .all(threadId),
    remove: async (threadId, rows) => {
      database.transaction(removeRows).immediate(threadId, rows);
    },
  };
}
