import { SkeinResultsError } from "../../wasm/errors.js";
import type { SqlMigration } from "./run-table.js";

/** The ledger's table, the same in both databases: names in the order of application. */
export const LEDGER_TABLE = "skein_migrations";

/**
 * What a database lacks, in order. The lists are independent (the host's own, this package's), so that
 * each can grow without the other; a later list may build on an earlier one.
 *
 * Of each list the ledger must hold the first so many, in that order. Names that are in no list belong
 * to a newer build and are left alone.
 *
 * @throws `migration_order`, when a released migration was renamed or moved
 */
export function pendingMigrations(
  lists: readonly (readonly SqlMigration[])[],
  applied: readonly string[],
): SqlMigration[] {
  return lists.flatMap((list) => {
    const declared = new Set(list.map(({ name }) => name));
    const held = applied.filter((name) => declared.has(name));
    held.forEach((name, place) => {
      const expected = list[place]?.name;
      if (name === expected) return;
      throw new SkeinResultsError(
        "migration_order",
        `The database has migration "${name}" where this build declares "${String(expected)}". ` +
          "Released migrations must not be renamed or moved: use the build that wrote this database, or a newer one.",
        { details: { migration: name } },
      );
    });
    return list.slice(held.length);
  });
}

/** The error of a migration that could not be applied and has been rolled back. */
export function migrationFailed({ name }: SqlMigration, cause: unknown): SkeinResultsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SkeinResultsError(
    "migration_failed",
    `Migration "${name}" failed and was rolled back: ${reason}. ` +
      "If the tables belong to another program, give this one a database of its own.",
    { cause, details: { migration: name } },
  );
}
