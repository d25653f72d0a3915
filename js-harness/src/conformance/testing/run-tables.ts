// The tables of a host that has nothing but threads and runs, under the names that it likes.

import type { NewRun } from "skein-results/conformance";
import type { RunTableOptions, SqlMigration } from "skein-results/sqlite";

/** Names as most hosts have them. */
export const USUAL_NAMES = {
  table: "runs",
  columns: {
    id: "run_id",
    status: "status",
    error: "error",
    updatedAt: "updated_at",
    thread: "thread_id",
    order: "seq",
    kwargs: "kwargs",
    metadata: "metadata",
  },
} as const satisfies RunTableOptions;

/** Names that have to be quoted. */
export const ODD_NAMES = {
  table: "Agent runs",
  columns: {
    id: "select",
    status: "The status",
    error: 'why "it" failed',
    updatedAt: "touched at",
    thread: "the thread",
    order: "n°",
    kwargs: "what it was given",
    metadata: 'all "about" it',
  },
} as const satisfies RunTableOptions;

export type TableNames = typeof USUAL_NAMES | typeof ODD_NAMES;

/** The clock of a host; without it the system's. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** What the databases call the same. */
export interface ColumnTypes {
  order: string;
  time: string;
  metadata: string;
}

/** An identifier, quoted. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The host's own tables; the columns of results and tasks are the package's business. */
export function hostTables({ table, columns }: TableNames, types: ColumnTypes): string {
  const { id, status, error, updatedAt, thread, order, kwargs, metadata } = columns;
  return `
    CREATE TABLE threads (thread_id text PRIMARY KEY);
    CREATE TABLE ${quoted(table)} (
      ${quoted(order)} ${types.order},
      ${quoted(id)} text NOT NULL UNIQUE,
      ${quoted(thread)} text NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
      ${quoted(status)} text NOT NULL,
      ${quoted(error)} text,
      ${quoted(updatedAt)} ${types.time} NOT NULL,
      ${quoted(metadata)} ${types.metadata} NOT NULL,
      ${quoted(kwargs)} text NOT NULL
    );`;
}

/** The package's migrations for a table of these names. */
export function migrationsUnder(
  { table, columns }: TableNames,
  migrations: readonly SqlMigration[],
): readonly string[] {
  const names: Record<string, string> = { [USUAL_NAMES.table]: table };
  for (const [column, usual] of Object.entries(USUAL_NAMES.columns)) {
    names[usual] = columns[column as keyof typeof columns];
  }
  // Whole words alone: the names of indexes and triggers stay as they are.
  const known = /\b(?:runs|run_id|thread_id|kwargs|updated_at)\b/g;
  return migrations.map(({ up }) => up.replace(known, (usual) => quoted(names[usual] ?? usual)));
}

/** The statements of the host's own, with `?` for SQLite and `$n` for Postgres. */
export function hostStatements({ table, columns }: TableNames, place: (index: number) => string) {
  const { id, status, error, updatedAt, thread, kwargs, metadata } = columns;
  const runs = quoted(table);
  const created = [id, thread, status, kwargs, updatedAt, metadata];
  return {
    createThread: `INSERT INTO threads (thread_id) VALUES (${place(1)}) ON CONFLICT DO NOTHING`,
    createRun: `INSERT INTO ${runs} (${created.map(quoted).join(", ")})
      VALUES (${created.map((_, index) => place(index + 1)).join(", ")})`,
    setStatus: `UPDATE ${runs} SET ${quoted(status)} = ${place(1)}, ${quoted(updatedAt)} = ${place(2)}
      WHERE ${quoted(id)} = ${place(3)}`,
    deleteRun: `DELETE FROM ${runs} WHERE ${quoted(id)} = ${place(1)}`,
    deleteThread: `DELETE FROM threads WHERE thread_id = ${place(1)}`,
    getRun: `SELECT ${quoted(id)} AS run_id, ${quoted(thread)} AS thread_id,
      ${quoted(status)} AS status, ${quoted(error)} AS error, ${quoted(updatedAt)} AS updated_at
      FROM ${runs} WHERE ${quoted(id)} = ${place(1)}`,
  };
}

/** The parameters of `createRun`. */
export function runParameters(
  { runId, threadId, status, kwargs, metadata = {} }: NewRun,
  at: string,
): string[] {
  return [runId, threadId, status, JSON.stringify(kwargs), at, JSON.stringify(metadata)];
}
