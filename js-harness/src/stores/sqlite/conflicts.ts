import { SkeinHttpError } from "../contract.js";

import { errorCode } from "./busy.js";

/** Does an insert; an id that exists is refused with 409, a thread that does not with 404. */
export function inserting<T>(id: string, threadId: string | null, insert: () => T): T {
  try {
    return insert();
  } catch (cause) {
    switch (errorCode(cause)) {
      case "SQLITE_CONSTRAINT_PRIMARYKEY":
      case "SQLITE_CONSTRAINT_UNIQUE":
        throw SkeinHttpError.conflict(`"${id}" exists already.`, { cause });
      case "SQLITE_CONSTRAINT_FOREIGNKEY":
        throw SkeinHttpError.notFound(`Thread "${String(threadId)}" not found.`, { cause });
      default:
        throw cause;
    }
  }
}
