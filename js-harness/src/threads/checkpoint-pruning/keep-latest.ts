// Which checkpoints of a thread are its history, and can go, when its present state must stay.

import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";

import { checkpointRows, type CheckpointRow } from "./checkpoint-rows.js";

/**
 * Removes all but the newest checkpoint of each namespace, which keeps its id. Per namespace, because
 * the newest of all may be a subgraph's, and the graph's own state would go with the rest.
 *
 * @returns whether there was anything to remove
 */
export async function keepLatestCheckpoints(
  saver: BaseCheckpointSaver,
  threadId: string,
): Promise<boolean> {
  const storage = checkpointRows(saver);
  const history: CheckpointRow[] = [];
  for (const rows of byNamespace(await storage.list(threadId)).values()) {
    if (rows.length === 1) continue;
    const needed = await neededForLatest(saver, threadId, rows);
    history.push(...rows.filter(({ id }) => !needed.has(id)));
  }
  if (history.length > 0) await storage.remove(threadId, history);
  return history.length > 0;
}

function byNamespace(rows: readonly CheckpointRow[]): Map<string, CheckpointRow[]> {
  const namespaces = new Map<string, CheckpointRow[]>();
  for (const row of rows) {
    const others = namespaces.get(row.namespace);
    if (others) others.push(row);
    else namespaces.set(row.namespace, [row]);
  }
  return namespaces;
}

/**
 * The newest checkpoint of a namespace, and the ancestors without which it cannot be read: a delta
 * channel stores what changed since the last ancestor that holds its value, and a checkpoint of a
 * format before 4 has its pending sends beside its parent.
 */
async function neededForLatest(
  saver: BaseCheckpointSaver,
  threadId: string,
  rows: readonly CheckpointRow[],
): Promise<Set<string>> {
  const [latest] = rows;
  if (!latest) return new Set();
  const needed = new Set([latest.id]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const read = ({ namespace, id }: CheckpointRow): Promise<CheckpointTuple | undefined> =>
    saver.getTuple({
      configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id },
    });

  const tip = await read(latest);
  if ((tip?.checkpoint.v ?? 4) < 4 && latest.parentId !== null) needed.add(latest.parentId);
  const unresolved = new Set(deltaChannels(tip));
  let ancestor = byId.get(latest.parentId ?? "");
  while (unresolved.size > 0 && ancestor) {
    needed.add(ancestor.id);
    const stored = (await read(ancestor))?.checkpoint.channel_values ?? {};
    for (const channel of Object.keys(stored)) unresolved.delete(channel);
    ancestor = byId.get(ancestor.parentId ?? "");
  }
  return needed;
}

/** The channels that a checkpoint counts updates for since their value was last stored whole. */
function deltaChannels(tuple: CheckpointTuple | undefined): string[] {
  const metadata: { counters_since_delta_snapshot?: object } = tuple?.metadata ?? {};
  return Object.keys(metadata.counters_since_delta_snapshot ?? {});
}
