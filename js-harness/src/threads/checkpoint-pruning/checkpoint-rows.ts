// Removing single checkpoints. No saver of LangGraph.js has a call for it, and writing the ones to keep
// again under a wiped thread would lose the thread if it failed half way; so each saver's own storage
// is edited in place, in one step.

import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

import type { Pool } from "pg";

import { SkeinHttpError } from "../../stores/contract.js";

import { memoryCheckpointRows } from "./memory.js";
import { postgresCheckpointRows } from "./postgres.js";
import { sqliteCheckpointRows } from "./sqlite.js";

/** Where a checkpoint stands. */
export interface CheckpointRow {
  /** Empty for the graph itself; a subgraph's checkpoints have one of their own for each call. */
  readonly namespace: string;
  readonly id: string;
  readonly parentId: string | null;
}

export interface CheckpointRows {
  /** The thread's checkpoints, newest first in each namespace, as the saver orders them. */
  list(threadId: string): Promise<CheckpointRow[]>;
  /**
   * Removes checkpoints in one step, with their pending writes and with every blob that no remaining
   * checkpoint refers to. A remaining checkpoint whose parent is gone loses its parent link.
   */
  remove(threadId: string, rows: readonly CheckpointRow[]): Promise<void>;
}

/** Private to the class, and the only way to the tables that it uses. */
interface PostgresSaverInternals {
  pool: Pool;
  options: { schema: string };
}

/** @throws 501 for a saver whose storage is not known here */
export function checkpointRows(saver: BaseCheckpointSaver): CheckpointRows {
  if (saver instanceof MemorySaver) return memoryCheckpointRows(saver);
  if (saver instanceof SqliteSaver) return sqliteCheckpointRows(saver.db);
  if (saver instanceof PostgresSaver) {
    const { pool, options } = saver as unknown as PostgresSaverInternals;
    return postgresCheckpointRows(pool, options.schema);
  }
  throw SkeinHttpError.notImplemented(
    `Checkpoints of a ${saver.constructor.name} cannot be removed one by one.`,
  );
}
