// The tables of a host that has nothing but threads and runs, under the names that it likes.

import type { NewRun } from "skein-results/conformance";
import type { RunTableOptions } from "skein-results/sqlite";

/** Names as most hosts have them. */
export const USUAL_NAMES = {
  table: "runs",
  columns: { id: "run_id", status: "status", error: "error", updatedAt: "updated_at" },
} as const satisfies RunTableOptions;

/** Names that have to be quoted. */
export const ODD_NAMES = {
  table: "Agent runs",
  columns: {
    id: "select",
    status: "The status",
    error: 'why "it" failed',
    updatedAt: "touched at",
  },
} as const satisfies RunTableOptions;

export type TableNames = typeof USUAL_NAMES | typeof ODD_NAMES;

/** An identifier, quoted. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The host's own tables; the columns of results are the package's business where its names are usual. */
export function hostTables({ table, columns }: TableNames): string {
  const { id, status, error, updatedAt } = columns;
  return `
    CREATE TABLE threads (thread_id text PRIMARY KEY);
    CREATE TABLE ${quoted(table)} (
      ${quoted(id)} text PRIMARY KEY,
      thread_id text NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
      ${quoted(status)} text NOT NULL,
      ${quoted(error)} text,
      ${quoted(updatedAt)} text NOT NULL,
      kwargs text NOT NULL
    );`;
}

/** The additive columns, for a table that the package's migration does not know the name of. */
export function resultColumns({ table }: TableNames): string {
  return ["values", "interrupts", "reply", "checkpoint"]
    .map((member) => `ALTER TABLE ${quoted(table)} ADD COLUMN result_${member} text;`)
    .join("\n");
}

/** The statements of the host's own, with `?` for SQLite and `$n` for Postgres. */
export function hostStatements({ table, columns }: TableNames, place: (index: number) => string) {
  const { id, status, error, updatedAt } = columns;
  const runs = quoted(table);
  return {
    createThread: `INSERT INTO threads (thread_id) VALUES (${place(1)}) ON CONFLICT DO NOTHING`,
    createRun: `INSERT INTO ${runs} (${quoted(id)}, thread_id, ${quoted(status)}, kwargs, ${quoted(updatedAt)})
      VALUES (${[1, 2, 3, 4, 5].map(place).join(", ")})`,
    setStatus: `UPDATE ${runs} SET ${quoted(status)} = ${place(1)}, ${quoted(updatedAt)} = ${place(2)}
      WHERE ${quoted(id)} = ${place(3)}`,
    deleteRun: `DELETE FROM ${runs} WHERE ${quoted(id)} = ${place(1)}`,
    deleteThread: `DELETE FROM threads WHERE thread_id = ${place(1)}`,
    getRun: `SELECT ${quoted(id)} AS run_id, thread_id, ${quoted(status)} AS status,
      ${quoted(error)} AS error, ${quoted(updatedAt)} AS updated_at
      FROM ${runs} WHERE ${quoted(id)} = ${place(1)}`,
  };
}

/** The parameters of `createRun`. */
export function runParameters({ runId, threadId, status, kwargs }: NewRun): string[] {
  return [runId, threadId, status, JSON.stringify(kwargs), new Date().toISOString()];
}
