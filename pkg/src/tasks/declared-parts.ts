/**
 * The key by which a declared reply says that it is made of A2A parts. Everything else that a graph
 * declares is its answer as it is.
 */
export const DECLARED_PARTS_KEY = "$a2a_parts";

/** A reply made of parts, in their JSON form. */
export interface DeclaredParts {
  parts: object[];
  /** Whether the caller who waits for it is answered with a message instead of the task. */
  as: "artifact" | "message";
}

/** The parts of a reply that is made of parts, and null for any other. */
export function declaredParts(reply: unknown): DeclaredParts | null {
  if (typeof reply !== "object" || reply === null || !Object.hasOwn(reply, DECLARED_PARTS_KEY)) {
    return null;
  }
  const { [DECLARED_PARTS_KEY]: parts, as } = reply as Record<string, unknown>;
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) return null;
  return { parts, as: as === "message" ? "message" : "artifact" };
}

/**
 * A null in a data part does not survive the protocol's decoding, which also makes something else of what
 * is of another kind than its member.
 */
function isPart(part: unknown): part is object {
  if (typeof part !== "object" || part === null) return false;
  const { text, raw, url, data, metadata, filename, mediaType } = part as Record<string, unknown>;
  const contents = [text, raw, url, data].filter((content) => !isAbsent(content));
  return (
    contents.length === 1 &&
    [text, raw, url, filename, mediaType].every(isTextOrAbsent) &&
    (isAbsent(raw) || isBase64(raw)) &&
    (isAbsent(metadata) || (typeof metadata === "object" && !Array.isArray(metadata)))
  );
}

function isTextOrAbsent(member: unknown): boolean {
  return isAbsent(member) || typeof member === "string";
}

function isAbsent(member: unknown): member is null | undefined {
  return member === undefined || member === null;
}

/** In the standard alphabet or the one for URLs. */
function isBase64(raw: unknown): boolean {
  return typeof raw === "string" && /^[\w+/-]*={0,2}$/.test(raw);
}
