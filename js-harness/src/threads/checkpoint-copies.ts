// Copying a thread's checkpoints, each saver's rows as they stand and in one step: every id is kept,
// and with it what a paused graph needs to go on. Only the thread is another one.

import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";
import type { Pool } from "pg";

import { SkeinHttpError } from "../stores/contract.js";
import { inTransaction } from "../stores/postgres/connection.js";

/** @throws 501 for a saver whose storage is not known here */
export async function copyCheckpoints(
  saver: BaseCheckpointSaver,
  source: string,
  target: string,
): Promise<void> {
  if (saver instanceof MemorySaver) copyInMemory(saver, source, target);
  else if (saver instanceof SqliteSaver) copyInSqlite(saver.db, source, target);
  else if (saver instanceof PostgresSaver) {
    // Private to the class, and the only way to the tables that it uses.
    const { pool, options } = saver as unknown as { pool: Pool; options: { schema: string } };
    await copyInPostgres(pool, options.schema, source, target);
  } else {
    throw SkeinHttpError.notImplemented(
      `Checkpoints of a ${saver.constructor.name} cannot be copied to another thread.`,
    );
  }
}

function copyInMemory(saver: MemorySaver, source: string, target: string): void {
  const stored = saver.storage[source];
  if (stored) saver.storage[target] = structuredClone(stored);
  for (const [key, writes] of Object.entries(saver.writes)) {
    const [thread, namespace, id] = JSON.parse(key) as [string, string, string];
    if (thread !== source) continue;
    saver.writes[JSON.stringify([target, namespace, id])] = structuredClone(writes);
  }
}

const CHECKPOINT_COLUMNS =
  "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata";

function copyInSqlite(database: Database, source: string, target: string): void {
  const copies = [
    ["checkpoints", CHECKPOINT_COLUMNS],
    ["writes", "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value"],
  ].map(([table = "", columns = ""]) =>
    database.prepare(
      `INSERT INTO ${table} (thread_id, ${columns})
       SELECT @target, ${columns} FROM ${table} WHERE thread_id = @source`,
    ),
  );
  const copy = database.transaction(() => {
    for (const statement of copies) statement.run({ source, target });
  });
  copy.immediate();
}

async function copyInPostgres(
  pool: Pool,
  schema: string,
  source: string,
  target: string,
): Promise<void> {
  const tables = {
    checkpoints: CHECKPOINT_COLUMNS,
    checkpoint_blobs: "checkpoint_ns, channel, version, type, blob",
    checkpoint_writes: "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob",
  };
  await inTransaction(pool, async (client) => {
    // One moment for all tables: a run that executes goes on writing.
    await client.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    for (const [table, columns] of Object.entries(tables)) {
      await client.query(
        `INSERT INTO "${schema}".${table} (thread_id, ${columns})
         SELECT $2::text, ${columns} FROM "${schema}".${table} WHERE thread_id = $1`,
        [source, target],
      );
    }
  });
}
