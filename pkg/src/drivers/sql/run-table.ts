import type { ResultEntry, ResultTexts } from "../../wasm/shapes.js";
import { readArgument, requireList } from "../../wasm/argument.js";
import { SkeinResultsError } from "../../wasm/errors.js";
import { everyMember } from "../../wasm/every-member.js";
import { ask } from "../../wasm/instance.js";
import type { RunTableNames, SqlStatements } from "../../wasm/glue.js";

/** The host's names for the columns of its runs table. */
export interface RunColumns {
  /** The run id, the primary key. Default `run_id`. */
  id: string;
  /** Default `status`. */
  status: string;
  /** The error, as JSON. Default `error`. */
  error: string;
  /** When the status was last written. Default `updated_at`. */
  updatedAt: string;
  /** The thread. Default `thread_id`. */
  thread: string;
  /**
   * What grows with every run that is created, also within a millisecond: a whole number, or what grows as a
   * text, too. Default `seq`.
   */
  order: string;
  /** The kwargs, as JSON, with the server's mark. Default `kwargs`. */
  kwargs: string;
  /** The metadata, as JSON (`jsonb` on Postgres). Default `metadata`. */
  metadata: string;
}

/** Where an SQL driver finds the host's runs. */
export interface RunTableOptions {
  /** The table; a dot separates schema and table. Default `runs`. */
  table?: string;
  columns?: Partial<RunColumns>;
}

/** A migration as the package ships it: also as plain files under `skein-results/migrations/`. */
export interface SqlMigration {
  /** `NNNN_name`, in the order of application. */
  readonly name: string;
  readonly up: string;
  readonly down: string;
}

/**
 * Refuses what are no lists of migrations.
 *
 * @throws `invalid_argument`
 */
export function requireMigrations(lists: readonly (readonly SqlMigration[])[]): void {
  requireList("lists", lists, "lists of migrations", isMigrationList);
}

function isMigrationList(list: unknown): list is readonly SqlMigration[] {
  return Array.isArray(list) && everyMember(list, isMigration);
}

function isMigration(migration: unknown): boolean {
  const { name, up } = migration as Partial<SqlMigration>;
  return typeof name === "string" && typeof up === "string";
}

/** The conditional statements of a driver, written by the rules for the host's names. */
export function statementsFor(
  dialect: "sqlite" | "postgres",
  options: RunTableOptions,
): SqlStatements {
  return ask((rules) => rules.sqlStatements(dialect, namesOf(options)));
}

/** The host's names, with the default ones. */
export function namesOf(options: RunTableOptions): RunTableNames {
  return readArgument("options", () => named(options));
}

function named({ table = "runs", columns = {} }: RunTableOptions): RunTableNames {
  return {
    table,
    id: columns.id ?? "run_id",
    status: columns.status ?? "status",
    error: columns.error ?? "error",
    updatedAt: columns.updatedAt ?? "updated_at",
    thread: columns.thread ?? "thread_id",
    order: columns.order ?? "seq",
    kwargs: columns.kwargs ?? "kwargs",
    metadata: columns.metadata ?? "metadata",
  };
}

/** The entries of the rows of `readMany`. */
export function entriesOf(rows: readonly unknown[]): ResultEntry[] {
  return rows.map((row) => {
    const { run, ...texts } = row as ResultTexts & { run: string };
    return [run, texts];
  });
}

/** The checkpoints of copies, by their sources; a source without one has none. */
export function copiedCheckpoints(
  rows: readonly unknown[],
  checkpointFor: (text: string) => string,
): Map<string, string> {
  return new Map(
    rows.map((row) => {
      const { run, checkpoint } = row as { run: string; checkpoint: string };
      return [run, checkpointFor(checkpoint)];
    }),
  );
}

/** The failure of a database that a driver cannot work with. */
export function unusable(database: string, reason: string, advice: string, cause: unknown) {
  return new SkeinResultsError(
    "database_unusable",
    `${database} cannot keep results: ${reason}. ${advice}`,
    {
      cause,
    },
  );
}
