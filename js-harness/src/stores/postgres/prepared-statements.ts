import pg, { type PoolClient } from "pg";

type Query = (statement: unknown, values?: unknown, callback?: unknown) => unknown;

/** A statement has one name in this process, and a connection knows it by that once it was prepared there. */
const names = new Map<string, string>();

/**
 * Has a connection prepare every statement that comes with values, the saver's too. How many there are is
 * bounded by the code: values are never part of a text.
 */
export function prepareOn(client: PoolClient): void {
  // Looked up at each call: whoever watches the statements of this process does so there.
  const query: Query = (...given) =>
    Reflect.apply(Reflect.get(pg.Client.prototype, "query") as Query, client, given);
  const prepared: Query = (statement, values, callback) =>
    typeof statement === "string" && Array.isArray(values)
      ? query({ name: nameOf(statement), text: statement, values }, undefined, callback)
      : query(statement, values, callback);
  Object.assign(client, { query: prepared });
}

function nameOf(text: string): string {
  const name = names.get(text) ?? `host_${names.size}`;
  names.set(text, name);
  return name;
}
