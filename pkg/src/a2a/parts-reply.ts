import { Part } from "@a2a-js/sdk";

import { readArgument } from "../wasm/argument.js";
import { DECLARED_PARTS_KEY } from "../tasks/declared-parts.js";

/** Options of {@link partsReply}. */
export interface PartsReplyOptions {
  /**
   * `message`: who waits for the answer of `SendMessage` gets a message with these parts instead of the
   * task. The task is there all the same, with the parts as its artifact. Default `artifact`.
   */
  as?: "artifact" | "message";
}

/**
 * A reply for a graph to declare whose answer is made of parts of its own: files, links, several parts.
 * Without it a declared reply is one part, a text or data.
 *
 * @throws `invalid_argument`
 *
 * @example
 * ```ts
 * const file = { content: { $case: "url" as const, value: "https://example.com/report.pdf" }, ... };
 * writer({ reply: partsReply([file]) });
 * ```
 */
export function partsReply(
  parts: readonly Part[],
  options: PartsReplyOptions = {},
): Record<string, unknown> {
  const as = readArgument("options", () => options.as ?? "artifact");
  const wire = readArgument("parts", () => parts.map((part) => Part.toJSON(part)));
  return { [DECLARED_PARTS_KEY]: wire, as };
}
