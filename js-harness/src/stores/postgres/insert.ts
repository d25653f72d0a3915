import { SkeinHttpError } from "../contract.js";

import { errorCode, type Queryable } from "./connection.js";

/** Inserts one row, a parameter for each member. */
export async function insertRow(
  on: Queryable,
  table: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(row);
  await on.query(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(", ")})
     VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
    Object.values(row),
  );
}

/** Does an insert; an id that exists is refused with 409, a thread that does not with 404. */
export async function inserting(
  id: string,
  threadId: string | null,
  insert: () => Promise<void>,
): Promise<void> {
  try {
    await insert();
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
