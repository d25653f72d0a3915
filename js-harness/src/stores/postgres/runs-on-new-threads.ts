// A run together with the thread that it begins: one statement looks the assistant up and inserts both.

import {
  SkeinHttpError,
  type NewThread,
  type RunCreate,
  type RunOnNewThread,
} from "../contract.js";
import { expiryOf, newRun, newThread } from "../new-rows.js";
import { assistantOf, type AssistantRow } from "../sql-rows.js";

import { ASSISTANT_COLUMNS } from "./columns.js";
import type { Queryable } from "./connection.js";
import { inserting, quoted } from "./insert.js";
import { RUN_TYPES, runColumns } from "./run-inserts.js";
import { THREAD_TYPES, threadColumns } from "./threads.js";

/** How the value of each column gets into the row. */
const TYPES: Readonly<Record<string, string>> = {
  ...THREAD_TYPES,
  ...RUN_TYPES,
  expires_at: "timestamptz",
};
/** The graph of a thread's latest run, as `ThreadUpdate.graph` names it. */
const GRAPH = "jsonb_build_object('graph_id', graph_id, 'assistant_id', assistant_id)";

/** Null, and nothing inserted, where there is such a thread. @throws 404 for an unknown assistant */
export async function createRunOnNewThread(
  on: Queryable,
  input: RunCreate,
  given: NewThread,
): Promise<RunOnNewThread | null> {
  const run = newRun(input);
  const thread = newThread({ ...given, thread_id: run.thread_id });
  const { metadata, ...above } = threadColumns(thread, expiryOf(given));
  const row = runColumns(run, input);
  const values: unknown[] = [run.assistant_id, metadata];
  const typed = (columns: object): string =>
    Object.entries(columns)
      .map(([name, value]) => `$${values.push(value)}::${String(TYPES[name])}`)
      .join(", ");

  const { rows } = await inserting(run.run_id, run.thread_id, () =>
    on.query<AssistantRow & { created: boolean }>(
      `WITH assistant AS (SELECT * FROM assistants WHERE assistant_id = $1),
       thread AS (
         INSERT INTO threads (metadata, ${quoted(Object.keys(above))})
         SELECT $2::jsonb || ${GRAPH}, ${typed(above)} FROM assistant
         ON CONFLICT DO NOTHING RETURNING 1),
       run AS (
         INSERT INTO runs (${quoted(Object.keys(row))}) SELECT ${typed(row)} FROM thread RETURNING 1)
       SELECT ${ASSISTANT_COLUMNS}, EXISTS (SELECT FROM run) AS created FROM assistant`,
      values,
    ),
  );

  const [found] = rows;
  if (!found) throw SkeinHttpError.notFound(`Assistant "${run.assistant_id}" not found.`);
  const { created, ...assistant } = found;
  return created ? { run, assistant: assistantOf(assistant) } : null;
}
