// Which builds of SQLite keep what they have acknowledged in WAL mode: https://sqlite.org/wal.html#walresetbug

import Database from "better-sqlite3";

/** The first of each branch with the fix; what is newer than all of them has it, too. */
const FIXED: readonly [number, number][] = [
  [44, 6],
  [50, 7],
  [51, 3],
];

/** The build that the driver brings with it. */
export function sqliteVersion(): string {
  const database = new Database(":memory:");
  try {
    return String(database.prepare("SELECT sqlite_version()").pluck().get());
  } finally {
    database.close();
  }
}

/** Whether a build (of {@link sqliteVersion}) resets a WAL without losing what was committed to it. */
export function resetsWalSafely(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [newest = 0] = FIXED.at(-1) ?? [];
  if (major !== 3 || minor > newest) return major >= 3;
  return FIXED.some(([branch, first]) => minor === branch && patch >= first);
}
