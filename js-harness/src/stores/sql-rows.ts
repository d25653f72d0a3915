// What a row looks like as both SQL stores read it: times as ISO text, JSON as text. Postgres is asked
// for text on purpose, and numbers are taken as text too, so that no type parser that a host has set
// globally changes what is read.

import type {
  Assistant,
  Delivery,
  DeliveryStatus,
  MultitaskStrategy,
  Run,
  RunError,
  RunKwargs,
  RunStatus,
  Thread,
  ThreadStatus,
} from "./contract.js";

export interface AssistantRow {
  assistant_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  config: string;
  context: string;
  metadata: string;
  version: number | string;
  created_at: string;
  updated_at: string;
}

export interface ThreadRow {
  thread_id: string;
  status: ThreadStatus;
  metadata: string;
  values: string;
  interrupts: string;
  error: string | null;
  created_at: string;
  updated_at: string;
  state_updated_at: string;
}

export interface RunRow {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  status: RunStatus;
  metadata: string;
  multitask_strategy: MultitaskStrategy | null;
  error: string | null;
  created_at: string;
  updated_at: string;
}

export interface DeliveryRow {
  delivery_id: string;
  run_id: string;
  thread_id: string;
  url: string;
  payload: string | null;
  /** One or zero. */
  payload_truncated: number | string;
  run_status: RunStatus;
  status: DeliveryStatus;
  attempt: number | string;
  next_attempt_at: string;
  last_error: string | null;
  created_at: string;
  updated_at: string;
  expires_at: string;
}

export function assistantOf({ description, ...row }: AssistantRow): Assistant {
  return {
    ...row,
    ...(description === null ? {} : { description }),
    config: JSON.parse(row.config) as Assistant["config"],
    context: JSON.parse(row.context) as Assistant["context"],
    metadata: JSON.parse(row.metadata) as Assistant["metadata"],
    version: Number(row.version),
  };
}

export function threadOf({ error, ...row }: ThreadRow): Thread {
  return {
    ...row,
    metadata: JSON.parse(row.metadata) as Thread["metadata"],
    values: JSON.parse(row.values) as Thread["values"],
    interrupts: JSON.parse(row.interrupts) as Thread["interrupts"],
    ...(error === null ? {} : { error: JSON.parse(error) as string }),
  };
}

export function runOf({ error, ...row }: RunRow): Run {
  return {
    ...row,
    metadata: JSON.parse(row.metadata) as Run["metadata"],
    ...(error === null ? {} : { error: JSON.parse(error) as RunError }),
  };
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    ...row,
    payload: row.payload === null ? null : JSON.parse(row.payload),
    payload_truncated: Number(row.payload_truncated) === 1,
    attempt: Number(row.attempt),
  };
}

export const ASSISTANT_FIELDS = [
  "assistant_id",
  "graph_id",
  "name",
  "description",
  "config",
  "context",
  "metadata",
  "version",
  "created_at",
  "updated_at",
] as const satisfies (keyof AssistantRow)[];

export const THREAD_FIELDS = [
  "thread_id",
  "status",
  "metadata",
  "values",
  "interrupts",
  "error",
  "created_at",
  "updated_at",
  "state_updated_at",
] as const satisfies (keyof ThreadRow)[];

/** Never `kwargs`, and never a column of results: what is not read cannot reach a client. */
export const RUN_FIELDS = [
  "run_id",
  "thread_id",
  "assistant_id",
  "status",
  "metadata",
  "multitask_strategy",
  "error",
  "created_at",
  "updated_at",
] as const satisfies (keyof RunRow)[];

export const DELIVERY_FIELDS = [
  "delivery_id",
  "run_id",
  "thread_id",
  "url",
  "payload",
  "payload_truncated",
  "run_status",
  "status",
  "attempt",
  "next_attempt_at",
  "last_error",
  "created_at",
  "updated_at",
  "expires_at",
] as const satisfies (keyof DeliveryRow)[];

/** A run's kwargs are two columns; a run that was created without any has none until one is recorded. */
export interface KwargsRow {
  kwargs: string | null;
  base_checkpoint: string | null;
}

export function kwargsOf({ kwargs, base_checkpoint }: KwargsRow): RunKwargs | null {
  if (kwargs === null && base_checkpoint === null) return null;
  return {
    ...(kwargs === null ? {} : (JSON.parse(kwargs) as RunKwargs)),
    ...(base_checkpoint === null
      ? {}
      : { base_checkpoint_id: JSON.parse(base_checkpoint) as string | null }),
  };
}
