import { setTimeout as delay } from "node:timers/promises";

/** How long a connection waits for another one's lock, and how long a retry goes on. */
export const BUSY_TIMEOUT_MS = 5000;

const RETRY_INTERVAL_MS = 20;

/**
 * Repeats what SQLite answers with "busy" at once, without asking its own timer: switching a file to
 * WAL while another process writes, and recovering a WAL that a killed process left behind.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
    }
    await delay(RETRY_INTERVAL_MS);
  }
}

/** Also the extended codes, `SQLITE_BUSY_RECOVERY` and the like. */
function isBusy(error: unknown): boolean {
  return errorCode(error).startsWith("SQLITE_BUSY");
}

/** The code of an error of better-sqlite3, or an empty text for any other. */
export function errorCode(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}
