import { randomUUID } from "node:crypto";

import { expect } from "vitest";

import type {
  DeliveryCreate,
  DeliveryRepo,
  Run,
  RunCreate,
  RunRepo,
  SkeinStore,
  SnapshotStore,
  ThreadRepo,
} from "../contract.js";

/** An id that no row has. */
export const unknownId = (): string => `unknown-${randomUUID()}`;

/** A run on a thread of its own, or on the one that is named. */
export async function newRun(store: SkeinStore, input: Partial<RunCreate> = {}): Promise<Run> {
  const thread_id = input.thread_id ?? (await store.threads.create()).thread_id;
  return store.runs.create({ assistant_id: "echo", ...input, thread_id });
}

/** A delivery to insert; its lease has not lapsed. */
export function deliveryFor(threadId: string, input: Partial<DeliveryCreate> = {}): DeliveryCreate {
  return {
    thread_id: threadId,
    url: "https://receiver.test/hook",
    payload: { values: { value: "echo: first" } },
    next_attempt_at: "2099-01-01T00:00:00.000Z",
    expires_at: "2099-01-02T00:00:00.000Z",
    ...input,
  };
}

/** A store with all that is optional: every store here has it. */
export interface CompleteStore extends SnapshotStore {
  runs: Required<RunRepo>;
  threads: Required<ThreadRepo>;
  deliveries: DeliveryRepo;
}

export function completeStore(store: SkeinStore): CompleteStore {
  const optional = [
    "finalizeWithDelivery",
    "recordResult",
    "getResult",
    "settleRun",
    "cancelRun",
    "startRun",
    "createOnNewThread",
  ];
  for (const method of optional) {
    expect(store.runs).toHaveProperty(method, expect.any(Function));
  }
  expect(store).toHaveProperty("deliveries", expect.any(Object));
  return store as CompleteStore;
}

/** A refusal that HTTP answers with this status. */
export const refusal = (status: number): unknown =>
  expect.objectContaining({ name: "SkeinHttpError", status });
