import { SkeinHttpError } from "../contract.js";

import { errorCode, type Queryable } from "./connection.js";

/** Inserts one row, a parameter for each member. */
export async function insertRow(on: Queryable, table: string, row: object): Promise<void> {
  const names = Object.keys(row);
  await on.query(
    `INSERT INTO ${table} (${quoted(names)})
     VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
    Object.values(row),
  );
}

export const quoted = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(", ");

/** Does an insert; an id that exists is refused with 409, a thread that does not with 404. */
export async function inserting<T>(
  id: string,
  threadId: string | null,
  insert: () => Promise<T>,
): Promise<T> {
  try {
    return await insert();
  } catch (cause) {
    switch (errorCode(cause)) {
      case "23505":
        throw SkeinHttpError.conflict(`"${id}" exists already.`, { cause });
      case "23503":
        throw SkeinHttpError.notFound(`Thread "${String(threadId)}" not found.`, { cause });
      default:
        throw cause;
    }
  }
}

/** How many rows one statement inserts: its arrays are in memory twice. */
const INSERT_BATCH = 1_000;

/**
 * Inserts rows in their order, a statement for each thousand; those whose id exists are left alone.
 *
 * @param types the columns, and the type that the text of each is cast to
 */
export async function insertRows<Row>(
  on: Queryable,
  table: string,
  types: Readonly<Record<string, string>>,
  rows: readonly Row[],
  texts: (row: Row) => Readonly<Record<string, string | null>>,
): Promise<void> {
  const names = Object.keys(types);
  const columns = quoted(names);
  const statement = `INSERT INTO ${table} (${columns})
    SELECT ${names.map((name) => `"${name}"::${String(types[name])}`).join(", ")}
      FROM unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
           WITH ORDINALITY AS row (${columns}, place)
     ORDER BY place ON CONFLICT DO NOTHING`;
  for (let start = 0; start < rows.length; start += INSERT_BATCH) {
    const batch = rows.slice(start, start + INSERT_BATCH).map(texts);
    await on.query(
      statement,
      names.map((name) => batch.map((row) => row[name] ?? null)),
    );
  }
}
