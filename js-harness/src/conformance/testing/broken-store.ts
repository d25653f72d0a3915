import type { PlainStoreOptions } from "./plain-store.js";

/** A plain store with one fault. */
export interface BrokenStore extends PlainStoreOptions {
  /** The cases whose rule the fault breaks; others may fail with them. */
  caughtBy: string | readonly string[];
}

/** Faults by what a person would call them. */
export type BrokenStores = Readonly<Record<string, BrokenStore>>;
