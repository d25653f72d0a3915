import type { Pool } from "pg";

import { inTransaction } from "../../stores/postgres/connection.js";

import type { CheckpointRow, CheckpointRows } from "./checkpoint-rows.js";

/**
 * Tables `checkpoints`, `checkpoint_writes` and `checkpoint_blobs`. A blob is one version of one
 * channel in one namespace, shared by every checkpoint whose `channel_versions` names it.
 */
export function postgresCheckpointRows(pool: Pool, schema: string): CheckpointRows {
  const table = (name: string): string => `"${schema}".${name}`;
  const removed = `thread_id = $1 AND (checkpoint_ns, checkpoint_id) IN
    (SELECT * FROM unnest($2::text[], $3::text[]))`;
  const statements = {
    list: `SELECT checkpoint_ns AS namespace, checkpoint_id AS id, parent_checkpoint_id AS "parentId"
      FROM ${table("checkpoints")} WHERE thread_id = $1 ORDER BY checkpoint_ns, checkpoint_id DESC`,
    removeWrites: `DELETE FROM ${table("checkpoint_writes")} WHERE ${removed}`,
    removeCheckpoints: `DELETE FROM ${table("checkpoints")} WHERE ${removed}`,
    removeBlobs: `DELETE FROM ${table("checkpoint_blobs")} AS blob
      WHERE blob.thread_id = $1 AND NOT EXISTS (
        SELECT 1 FROM ${table("checkpoints")} AS kept
        WHERE kept.thread_id = blob.thread_id AND kept.checkpoint_ns = blob.checkpoint_ns
          AND kept.checkpoint -> 'channel_versions' ->> blob.channel = blob.version)`,
    clearParents: `UPDATE ${table("checkpoints")} AS child SET parent_checkpoint_id = NULL
      WHERE child.thread_id = $1 AND child.parent_checkpoint_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM ${table("checkpoints")} AS parent
        WHERE parent.thread_id = child.thread_id AND parent.checkpoint_ns = child.checkpoint_ns
          AND parent.checkpoint_id = child.parent_checkpoint_id)`,
  };

  return {
    list: async (threadId) => (await pool.query<CheckpointRow>(statements.list, [threadId])).rows,
    remove: (threadId, rows) =>
      inTransaction(pool, async (client) => {
        const coordinates = [
          threadId,
          rows.map(({ namespace }) => namespace),
          rows.map(({ id }) => id),
        ];
        await client.query(statements.removeWrites, coordinates);
        await client.query(statements.removeCheckpoints, coordinates);
        await client.query(statements.removeBlobs, [threadId]);
        await client.query(statements.clearParents, [threadId]);
      }),
  };
}
