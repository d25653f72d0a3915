// What the Postgres driver uses of a pool of pg: statements, named ones, and transactions.

import { createHash } from "node:crypto";

/** A statement that a connection parses and plans once, and then knows by its name. */
export interface NamedStatement {
  name: string;
  text: string;
  values: unknown[];
}

/** What runs a statement: a pool or one of its clients. */
export interface PostgresQueryable {
  query(statement: string | NamedStatement, parameters?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A client of a `Pool`, as far as this driver uses it. */
export interface PostgresClient extends PostgresQueryable {
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A `Pool` of pg, as far as this driver uses it. */
export interface PostgresPool extends PostgresQueryable {
  connect(): Promise<PostgresClient>;
}

const names = new Map<string, string>();

/**
 * A statement under a name that is made of its text: another copy of this module, or another driver on
 * the same pool, may use a name for the same text only.
 */
export function namedStatement(text: string, values: unknown[]): NamedStatement {
  let name = names.get(text);
  if (name === undefined) {
    name = `skein_results_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    names.set(text, name);
  }
  return { name, text, values };
}

/** Does the work in a transaction. A client that could not even roll back serves nobody else. */
export async function inTransaction<Client extends PostgresClient, R>(
  pool: { connect(): Promise<Client> },
  work: (client: Client) => Promise<R>,
): Promise<R> {
  const client = await pool.connect();
  // A connection that ends between two statements says so by an event; the next statement fails.
  const ignore = () => undefined;
  client.on("error", ignore);
  let isBroken = true;
  try {
    // Each statement sees what others have committed before it, whatever the database's default is.
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    const answer = await work(client);
    await client.query("COMMIT");
    isBroken = false;
    return answer;
  } catch (error) {
    isBroken = !(await rolledBack(client));
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(isBroken);
  }
}

async function rolledBack(client: PostgresQueryable): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}
