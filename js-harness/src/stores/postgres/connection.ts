import pg, { type Pool, type PoolClient } from "pg";

import { DatabaseError } from "../contract.js";

import { prepareOn } from "./prepared-statements.js";

/** What runs a statement: the pool, or the client that a transaction is on. */
export type Queryable = Pick<PoolClient, "query">;

/** A server that is up answers long before that; one that is not must not hang the start-up. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface PoolOptions {
  /** Most connections at a time. @defaultValue pg's own, 10 */
  max?: number;
  /**
   * Whether a connection plans each statement once and keeps it; not behind a pooler in transaction mode.
   * @defaultValue false
   */
  prepare?: boolean;
}

export function openPool(url: string, { prepare = false, ...options }: PoolOptions = {}): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...options,
  });
  // The pool drops an idle client whose connection ended and opens another when it needs one; an
  // event without a listener would end the process instead.
  pool.on("error", () => {});
  // The pool listens to idle clients only, and a checkpoint saver that has taken one does not: a server
  // that goes away between two statements of its transaction would end the process. The next statement
  // fails with the reason.
  pool.on("connect", (client) => client.on("error", () => {}));
  if (prepare) pool.on("connect", prepareOn);
  return pool;
}

/** A client that is out of its pool until it is given back. */
export interface TakenClient {
  client: PoolClient;
  /** False once its connection has ended, and with it all that belonged to the session. */
  isConnected: () => boolean;
  /** Back into the pool, or destroyed where its session must not serve anybody else. */
  giveBack: (fate: "reuse" | "destroy") => void;
}

export async function takeClient(pool: Pool): Promise<TakenClient> {
  const client = await pool.connect();
  let connected = true;
  // The pool listens to idle clients only; without a listener this event would end the process.
  const onError = (): void => {
    connected = false;
  };
  client.on("error", onError);
  return {
    client,
    isConnected: () => connected,
    giveBack: (fate) => {
      client.off("error", onError);
      client.release(fate === "destroy" || !connected);
    },
  };
}

/** Does the work in one transaction. A client that cannot even roll back is not used again. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const { client, giveBack } = await takeClient(pool);
  let fate: "reuse" | "destroy" = "reuse";
  try {
    await client.query("BEGIN");
    const value = await work(client);
    await client.query("COMMIT");
    return value;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {
      fate = "destroy";
    });
    throw error;
  } finally {
    giveBack(fate);
  }
}

/** The SQLSTATE of an error of the server, or the system's code for a connection that failed. */
export function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/** Fails with an error that names the server, without its password, if it cannot be used. */
export async function requireServer(pool: Pool): Promise<void> {
  try {
    await pool.query("SELECT 1");
  } catch (cause) {
    // A client that is never connected, for what the pool's options and the environment come to.
    const { host, port, database = "" } = new pg.Client(pool.options);
    throw new DatabaseError(
      "cannot_connect",
      `The Postgres database "${database}" at ${host}:${port} cannot be used: ${reasonOf(cause)}. ` +
        `Check that the server is up and that the connection string names it, its database and its user.`,
      { cause },
    );
  }
}

/** A name with several addresses fails with an error for each and an empty message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message || errorCode(error) : String(error);
}
