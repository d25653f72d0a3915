// What all three stores accept. Memory and SQLite could keep more than Postgres does; a text that one
// of them refuses is refused by all, so that data can move between them and no store is a surprise.

import { SkeinHttpError } from "./contract.js";

/** Longer ids do not fit an index entry of Postgres in every script. */
const MAX_ID_LENGTH = 512;

/** NUL has no place in a Postgres text; a lone surrogate becomes U+FFFD on its way into any database. */
// eslint-disable-next-line no-control-regex
const UNSTORABLE = /[\u0000\p{Surrogate}]/u;

/** The same two characters as escapes of a JSON text, where no further backslash precedes them. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Answers the id, or refuses (400) one that two stores would not tell apart in the same way. */
export function requireStorableId(id: string, name: string): string {
  return unless(faultOfId(id), id, name);
}

/** Whether a row may have this id. */
export function isStorableId(id: string): boolean {
  return faultOfId(id) === null;
}

/** Answers the text, or refuses (400) one that Postgres cannot hold. */
export function requireStorableText(text: string, name: string): string {
  return unless(faultOfText(text), text, name);
}

function faultOfId(id: string): string | null {
  if (id.length === 0) return "is empty";
  if (id.length > MAX_ID_LENGTH) {
    return `has ${id.length} characters; at most ${MAX_ID_LENGTH} are kept`;
  }
  return faultOfText(id);
}

function faultOfText(text: string): string | null {
  return UNSTORABLE.test(text) ? "holds a NUL or half of a surrogate pair" : null;
}

function unless(fault: string | null, text: string, name: string): string {
  if (fault !== null) throw SkeinHttpError.badRequest(`${name} ${fault}.`);
  return text;
}

/** A text that must be kept whatever it holds, like the reason of a failure, with U+FFFD in its place. */
export function storableText(text: string): string {
  return text.replace(new RegExp(UNSTORABLE, "gu"), "\ufffd");
}

/** An id to look up. One that no row can have is looked up as SQL's NULL, which equals nothing. */
export function lookupId(id: string): string | null {
  return UNSTORABLE.test(id) ? null : id;
}

/**
 * The JSON text of metadata. Metadata is searched, hence `jsonb` in Postgres, which has no NUL and
 * no half of a surrogate pair (400). What is only kept, like a run's input, may hold both.
 */
export function metadataText(metadata: unknown): string {
  const text = JSON.stringify(metadata ?? {});
  if (UNSTORABLE_ESCAPE.test(text)) {
    throw SkeinHttpError.badRequest("metadata holds a NUL or half of a surrogate pair.");
  }
  return text;
}

/** A copy as a database gives it back: JSON and nothing else. */
export function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
