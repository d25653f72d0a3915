import type { Assistant, Delivery, Run, RunKwargs, Thread } from "../contract.js";

/** Everything a memory store holds, each row under its id. */
export interface MemoryTables {
  readonly assistants: Map<string, Assistant>;
  readonly threads: Map<string, Thread>;
  /** By thread; a thread that is never swept has none. */
  readonly threadExpiry: Map<string, string>;
  /** The map's own order is the order of creation: no clock decides which run is the latest. */
  readonly runs: Map<string, Run>;
  readonly runKwargs: Map<string, RunKwargs>;
  readonly deliveries: Map<string, Delivery>;
}

export function emptyTables(): MemoryTables {
  return {
    assistants: new Map(),
    threads: new Map(),
    threadExpiry: new Map(),
    runs: new Map(),
    runKwargs: new Map(),
    deliveries: new Map(),
  };
}

/** A stored row for the caller to keep: no change to it reaches the store. */
export function copyOf<T>(row: T | undefined): T | null {
  return row === undefined ? null : structuredClone(row);
}

/** Copies only what leaves: a thread row carries the thread's whole state. */
export function copyPage<T>(rows: readonly T[], offset: number | undefined, limit: number): T[] {
  const start = offset ?? 0;
  return rows.slice(start, start + limit).map((row) => structuredClone(row));
}

/** Orders texts by their code units, as the SQL stores do, and not by a locale. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
