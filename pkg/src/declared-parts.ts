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

/** A null in a data part does not survive the protocol's decoding. */
function isPart(part: unknown): part is object {
  if (typeof part !== "object" || part === null) return false;
  const { text, raw, url, data } = part as Record<string, unknown>;
  const texts = [text, raw, url].filter((content) => typeof content === "string").length;
  return texts + (data === undefined || data === null ? 0 : 1) === 1;
}
