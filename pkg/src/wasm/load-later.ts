/** Where files cannot be read at once nothing is loaded at import: `init` does it. */
export function loadAtImport(): boolean {
  return false;
}
