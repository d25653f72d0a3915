// Which builds of SQLite keep what they have acknowledged in WAL mode: https://sqlite.org/wal.html#walresetbug

/** The first of each branch with the fix; what is newer than all of them has it, too. */
const FIXED: readonly [number, number][] = [
  [44, 6],
  [50, 7],
  [51, 3],
];

/** Whether a build (`SELECT sqlite_version()`) resets a WAL without losing what was committed to it. */
export function resetsWalSafely(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [newest = 0] = FIXED.at(-1) ?? [];
  if (major !== 3 || minor > newest) return major >= 3;
  return FIXED.some(([branch, first]) => minor === branch && patch >= first);
}
