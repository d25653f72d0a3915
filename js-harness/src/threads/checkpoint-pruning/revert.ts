import type { CheckpointRow, CheckpointRows } from "./checkpoint-rows.js";

/**
 * Takes a thread back to a checkpoint of its own graph: that one and its ancestors stay, and with
 * them what subgraphs had written by then. Null takes it back to no checkpoint at all. A checkpoint
 * that is no longer there changes nothing: without it, what came after it cannot be told.
 */
export async function revertToCheckpoint(
  storage: CheckpointRows,
  threadId: string,
  baseId: string | null,
): Promise<void> {
  const rows = await storage.list(threadId);
  const kept = baseId === null ? new Set<string>() : ancestry(rows, baseId);
  if (baseId !== null && kept.size === 0) return;
  const isLater = ({ namespace, id }: CheckpointRow): boolean =>
    namespace === "" ? !kept.has(id) : baseId === null || id > baseId;
  const later = rows.filter(isLater);
  if (later.length > 0) await storage.remove(threadId, later);
}

/** The checkpoint and its ancestors; empty if it is not there. */
function ancestry(rows: readonly CheckpointRow[], id: string): Set<string> {
  const parents = new Map(
    rows.filter(({ namespace }) => namespace === "").map((row) => [row.id, row.parentId]),
  );
  const kept = new Set<string>();
  let current: string | null = id;
  while (current !== null && parents.has(current) && !kept.has(current)) {
    kept.add(current);
    current = parents.get(current) ?? null;
  }
  return kept;
}
