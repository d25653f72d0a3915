// Every column as text that means the same on every connection, whatever type parsers a host has set
// and whatever the session's time zone and date style are.

import {
  ASSISTANT_FIELDS,
  DELIVERY_FIELDS,
  RUN_FIELDS,
  THREAD_FIELDS,
  type AssistantRow,
  type DeliveryRow,
  type RunRow,
  type ThreadRow,
} from "../sql-rows.js";

type Field = keyof AssistantRow | keyof ThreadRow | keyof RunRow | keyof DeliveryRow;

const TIMES: ReadonlySet<Field> = new Set<Field>([
  "created_at",
  "updated_at",
  "state_updated_at",
  "next_attempt_at",
  "expires_at",
]);
const OBJECTS: ReadonlySet<Field> = new Set<Field>([
  "config",
  "context",
  "metadata",
  "values",
  "interrupts",
  "error",
  "payload",
]);

function column(name: Field): string {
  if (TIMES.has(name)) {
    return `to_char("${name}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "${name}"`;
  }
  if (OBJECTS.has(name)) return `"${name}"::text AS "${name}"`;
  if (name === "payload_truncated") return `"${name}"::integer AS "${name}"`;
  return `"${name}"`;
}

const columns = (fields: readonly Field[]): string => fields.map(column).join(", ");

export const ASSISTANT_COLUMNS = columns(ASSISTANT_FIELDS);
export const THREAD_COLUMNS = columns(THREAD_FIELDS);
export const RUN_COLUMNS = columns(RUN_FIELDS);
export const DELIVERY_COLUMNS = columns(DELIVERY_FIELDS);
