// Rows at their creation: one place decides their defaults for all stores.

import { randomUUID } from "node:crypto";

import {
  SkeinHttpError,
  type Assistant,
  type AssistantCreate,
  type Delivery,
  type DeliveryCreate,
  type NewThread,
  type Run,
  type RunCreate,
  type RunStatus,
  type Thread,
  type ThreadCreate,
} from "./contract.js";
import { jsonCopy, metadataText, requireStorableId, requireStorableText } from "./storable.js";

/**
 * The present time as every row has it. The server's clock, to the millisecond, and not the
 * database's: what a client is shown is then exactly what is stored and can be compared.
 */
export const now = (): string => new Date().toISOString();

export function newAssistant(input: AssistantCreate): Assistant {
  const at = now();
  return {
    assistant_id: requireStorableId(input.assistant_id ?? randomUUID(), "assistant_id"),
    graph_id: requireStorableId(input.graph_id, "graph_id"),
    name: requireStorableText(input.name ?? input.graph_id, "name"),
    ...(input.description === undefined
      ? {}
      : { description: requireStorableText(input.description, "description") }),
    config: jsonCopy(input.config ?? {}),
    context: jsonCopy(input.context ?? {}),
    metadata: metadataOf(input),
    version: 1,
    created_at: at,
    updated_at: at,
  };
}

export function newThread(input: ThreadCreate): Thread {
  const at = now();
  return {
    thread_id: requireStorableId(input.thread_id ?? randomUUID(), "thread_id"),
    status: input.status ?? "idle",
    metadata: metadataOf(input),
    values: {},
    interrupts: {},
    created_at: at,
    updated_at: at,
    state_updated_at: at,
  };
}

/** The thread that a run is created with, which names the run's graph. */
export function threadOfRun(
  input: RunCreate,
  given: NewThread,
  assistant: Assistant,
): ThreadCreate {
  const { graph_id, assistant_id } = assistant;
  const metadata = { ...metadataOf(given), graph_id, assistant_id };
  return { ...given, metadata, thread_id: input.thread_id };
}

/** When a thread's time is up; null for never. @throws 400 for a time that is none */
export function expiryOf({ ttl }: ThreadCreate): string | null {
  if (ttl === undefined || ttl === null) return null;
  const expiry = new Date(Date.now() + ttl * 60_000);
  if (ttl < 0 || Number.isNaN(expiry.getTime())) {
    throw SkeinHttpError.badRequest("ttl must be a number of minutes.");
  }
  return expiry.toISOString();
}

export function newRun(input: RunCreate): Run {
  const at = now();
  return {
    run_id: requireStorableId(input.run_id ?? randomUUID(), "run_id"),
    thread_id: requireStorableId(input.thread_id, "thread_id"),
    assistant_id: requireStorableId(input.assistant_id, "assistant_id"),
    status: input.status ?? "pending",
    metadata: metadataOf(input),
    multitask_strategy: input.multitask_strategy ?? null,
    created_at: at,
    updated_at: at,
  };
}

/** A delivery as its run's end inserts it: claimed, in its first attempt. */
export function newDelivery(runId: string, runStatus: RunStatus, input: DeliveryCreate): Delivery {
  const at = now();
  return {
    delivery_id: requireStorableId(input.delivery_id ?? randomUUID(), "delivery_id"),
    run_id: requireStorableId(runId, "run_id"),
    thread_id: requireStorableId(input.thread_id, "thread_id"),
    url: requireStorableText(input.url, "url"),
    payload: jsonCopy(input.payload ?? null),
    payload_truncated: input.payload_truncated ?? false,
    run_status: runStatus,
    status: "delivering",
    attempt: 1,
    next_attempt_at: input.next_attempt_at,
    last_error: null,
    created_at: at,
    updated_at: at,
    expires_at: input.expires_at,
  };
}

function metadataOf(input: { metadata?: unknown }): Record<string, unknown> {
  return JSON.parse(metadataText(input.metadata)) as Record<string, unknown>;
}
