// To whom a row belongs. The server writes it into the metadata of threads and runs, over whatever a
// client put there, and reads it nowhere else: the lineage of a task says nothing about access.

import { SkeinHttpError, type Metadata } from "../stores/contract.js";

import type { Caller, Owner } from "./caller.js";

/** The key of the owner in the metadata of a thread and of a run. */
export const OWNER_KEY = "owner";

export function ownerOf({ tenant, user }: Owner): Owner {
  return { tenant, user };
}

/** The metadata with the owner in it, in place of any that was there. */
export function stamped(metadata: Metadata | undefined, owner: Owner): Record<string, unknown> {
  return { ...metadata, [OWNER_KEY]: ownerOf(owner) };
}

/** Whether a row belongs to this owner. One that has no owner belongs to nobody. */
export function owns(owner: Owner, row: { metadata?: Metadata }): boolean {
  const found: unknown = row.metadata?.[OWNER_KEY];
  return (
    typeof found === "object" &&
    found !== null &&
    "tenant" in found &&
    "user" in found &&
    found.tenant === owner.tenant &&
    found.user === owner.user
  );
}

/**
 * Decided by the caller alone, before anything is looked for, so that the refusal says nothing about
 * what there is.
 *
 * @throws 403
 */
export function requireWrite({ access }: Caller): void {
  if (access !== "write") throw readsOnly();
}

/** The refusal of a caller who may only read. */
export function readsOnly(): SkeinHttpError {
  return SkeinHttpError.forbidden("This caller may only read.");
}
