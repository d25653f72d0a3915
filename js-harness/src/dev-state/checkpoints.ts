// The checkpoints of a memory saver as JSON: its own maps, with their bytes in base64.

import type { MemorySaver } from "@langchain/langgraph-checkpoint";

import { SkeinHttpError } from "../stores/contract.js";

type Storage = MemorySaver["storage"];
type Writes = MemorySaver["writes"];

export interface SavedCheckpoints {
  /** Thread, namespace, checkpoint id, and then checkpoint, metadata and parent id. */
  storage: Record<string, Record<string, Record<string, [string, string, (string | null)?]>>>;
  /** The JSON of thread, namespace and checkpoint id, then the write's key: task, channel, value. */
  writes: Record<string, Record<string, [string, string, string]>>;
}

export function savedCheckpoints({ storage, writes }: MemorySaver): SavedCheckpoints {
  return {
    storage: mapped(storage, (namespaces) =>
      mapped(namespaces, (checkpoints) =>
        mapped(checkpoints, ([checkpoint, metadata, parentId]) => [
          base64(checkpoint),
          base64(metadata),
          parentId ?? null,
        ]),
      ),
    ),
    writes: mapped(writes, (ofCheckpoint) =>
      mapped(ofCheckpoint, ([task, channel, value]) => [task, channel, base64(value)]),
    ),
  };
}

/** What was saved, as the saver holds it; nothing at all stands for none. @throws 400 */
export function readCheckpoints(saved: unknown): { storage: Storage; writes: Writes } {
  const { storage, writes } = record(saved ?? {}, "checkpoints");
  return {
    storage: mapped(record(storage ?? {}, "storage"), (namespaces) =>
      mapped(record(namespaces, "namespaces"), (checkpoints) =>
        mapped(record(checkpoints, "checkpoints"), (stored) => {
          const [checkpoint, metadata, parentId] = list(stored);
          return [
            bytes(checkpoint),
            bytes(metadata),
            parentId == null ? undefined : text(parentId),
          ];
        }),
      ),
    ),
    writes: mapped(record(writes ?? {}, "writes"), (ofCheckpoint) =>
      mapped(record(ofCheckpoint, "writes"), (stored) => {
        const [task, channel, value] = list(stored);
        return [text(task), text(channel), bytes(value)];
      }),
    ),
  };
}

function mapped<In, Out>(from: Record<string, In>, to: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}

function base64(stored: Uint8Array): string {
  return Buffer.from(stored).toString("base64");
}

function bytes(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(text(value), "base64"));
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw SkeinHttpError.badRequest(`The ${name} of this state are no object.`);
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw SkeinHttpError.badRequest("A checkpoint of this state is no list.");
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw SkeinHttpError.badRequest("A part of a checkpoint of this state is no text.");
}
