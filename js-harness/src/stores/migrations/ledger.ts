// Which migrations a database lacks. The ledger is a table of names in the order of application.

import { DatabaseError } from "../contract.js";

/** One step of a schema. The package's own migrations have this shape as well. */
export interface Migration {
  /** `NNNN_snake_case`, unique among all lists. */
  readonly name: string;
  readonly up: string;
  readonly down: string;
}

/** The ledger's table, the same in both databases. */
export const LEDGER_TABLE = "skein_migrations";

/**
 * What is to be applied, in order. The lists are independent (the host's own, the package's), so that
 * each can grow without the other; a later list may build on an earlier one.
 *
 * Of each list the ledger must hold the first so many, in that order. Names that are in no list belong
 * to a newer build and are left alone.
 *
 * @throws DatabaseError `migration_order`, when a released migration was renamed or moved
 */
export function pendingMigrations(
  lists: readonly (readonly Migration[])[],
  applied: readonly string[],
): Migration[] {
  return lists.flatMap((list) => {
    const declared = new Set(list.map(({ name }) => name));
    const held = applied.filter((name) => declared.has(name));
    held.forEach((name, index) => {
      const expected = list[index]?.name;
      if (name !== expected) {
        throw new DatabaseError(
          "migration_order",
          `The database has migration "${name}" where this build declares "${String(expected)}". ` +
            `Released migrations must not be renamed or moved; use the build that wrote this database, or a newer one.`,
        );
      }
    });
    return list.slice(held.length);
  });
}

/** The error of a migration that could not be applied and has been rolled back. */
export function migrationFailed(migration: Migration, cause: unknown): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseError(
    "migration_failed",
    `Migration "${migration.name}" failed and was rolled back: ${reason}. ` +
      `If the database belongs to another program, give this one a database of its own.`,
    { cause },
  );
}
