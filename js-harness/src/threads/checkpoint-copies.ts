// Copying a thread's checkpoints, each saver's rows as they stand and in one step: every id is kept,
// and with it what a paused graph needs to go on. Only the thread is another one.

import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";
import type { Pool, PoolClient } from "pg";

import { SkeinHttpError } from "../stores/contract.js";

/** The database of a saver: a connection of better-sqlite3, a pool of pg; undefined for none. */
export function databaseOf(saver: BaseCheckpointSaver): object | undefined {
  if (saver instanceof SqliteSaver) return saver.db;
  return saver instanceof PostgresSaver ? tablesOf(saver).pool : undefined;
}

/**
 * Has done its work when it returns, but for a saver on Postgres.
 *
 * @param on what the statements run on, where they belong to an open transaction of the saver's database
 * @throws 501 for a saver whose storage is not known here
 */
export function copyCheckpoints(
  saver: BaseCheckpointSaver,
  source: string,
  target: string,
  on?: unknown,
): void | Promise<void> {
  if (saver instanceof MemorySaver) {
    copyInMemory(saver, source, target);
    return;
  }
  if (saver instanceof SqliteSaver) {
    copyInSqlite(saver.db, source, target);
    return;
  }
  if (saver instanceof PostgresSaver) {
    const { pool, schema } = tablesOf(saver);
    return copyInPostgres((on as PoolClient | undefined) ?? pool, schema, source, target);
  }
  throw SkeinHttpError.notImplemented(
    `Checkpoints of a ${saver.constructor.name} cannot be copied to another thread.`,
  );
}

/** Private to the class, and the only way to the tables that it uses. */
function tablesOf(saver: PostgresSaver): { pool: Pool; schema: string } {
  const { pool, options } = saver as unknown as { pool: Pool; options: { schema: string } };
  return { pool, schema: options.schema };
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
  // On a connection with an open transaction it is a part of that one.
  copy.immediate();
}

/** One statement, and with it one moment for all tables: a run that executes goes on writing. */
async function copyInPostgres(
  on: Pool | PoolClient,
  schema: string,
  source: string,
  target: string,
): Promise<void> {
  const tables = {
    checkpoints: CHECKPOINT_COLUMNS,
    checkpoint_blobs: "checkpoint_ns, channel, version, type, blob",
    checkpoint_writes: "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob",
  };
  const copies = Object.entries(tables).map(
    ([table, columns]) =>
      `${table} AS (INSERT INTO "${schema}".${table} (thread_id, ${columns})
         SELECT $2::text, ${columns} FROM "${schema}".${table} WHERE thread_id = $1)`,
  );
  await on.query(`WITH ${copies.join(", ")} SELECT 1`, [source, target]);
}
