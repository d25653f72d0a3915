import { ASSISTANT_FIELDS, DELIVERY_FIELDS, RUN_FIELDS, THREAD_FIELDS } from "../sql-rows.js";

/** `values` is a keyword. */
const columns = (fields: readonly string[]): string => fields.map((name) => `"${name}"`).join(", ");

export const ASSISTANT_COLUMNS = columns(ASSISTANT_FIELDS);
export const THREAD_COLUMNS = columns(THREAD_FIELDS);
export const RUN_COLUMNS = columns(RUN_FIELDS);
export const DELIVERY_COLUMNS = columns(DELIVERY_FIELDS);

/** The `VALUES` of an insert with one named parameter for each field. */
export const namedParameters = (fields: readonly string[]): string =>
  fields.map((name) => `@${name}`).join(", ");
