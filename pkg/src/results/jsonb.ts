/** An escape of JSON text; the group is there for one that `jsonb` refuses. */
const ESCAPE = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g;

/** True for JSON text, as `JSON.stringify` writes it, with NUL or a lone surrogate in it. */
export function hasEscapeThatJsonbRefuses(text: string): boolean {
  return [...text.matchAll(ESCAPE)].some(([, refused]) => refused !== undefined);
}

/** The same JSON text with U+FFFD in place of every NUL and lone surrogate. */
export function storableInJsonb(text: string): string {
  return text.replace(ESCAPE, (escape, refused?: string) => (refused ? "\\ufffd" : escape));
}
