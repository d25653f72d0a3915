import type { Message, Part } from "@a2a-js/sdk";

import type { ResumeAnswer } from "../tasks/resume.js";

import { malformed } from "./errors.js";
import { messageText, unreadablePart } from "./messages.js";

/**
 * What a message to a task that waits for input answers.
 *
 * - Data parts `{ "id", "value" }` and nothing else: the value for the question of that id. Several
 *   questions are answered in this form only.
 * - One data part of any other shape: its value, as it is.
 * - Texts: the text; several are lines of one.
 *
 * @throws -32602 for parts of which no answer can be made, -32005 for a file
 */
export function answerOf(message: Message): ResumeAnswer {
  const { parts } = message;
  const named = parts.map(namedAnswer).filter((answer) => answer !== null);
  if (named.length === parts.length) return { named };
  const [only] = parts;
  if (parts.length === 1 && only?.content?.$case === "data") return { plain: only.content.value };
  for (const part of parts) {
    if (part.content?.$case === "data") {
      throw malformed('An answer is one part, or a data part {"id", "value"} for each question.');
    }
    if (part.content?.$case !== "text") throw unreadablePart(part);
  }
  return { plain: messageText(message) };
}

function namedAnswer({ content }: Part): { id: string; value: unknown } | null {
  const data: unknown = content?.$case === "data" ? content.value : null;
  if (typeof data !== "object" || data === null || Object.keys(data).length !== 2) return null;
  if (!Object.hasOwn(data, "id") || !Object.hasOwn(data, "value")) return null;
  const { id, value } = data as { id: unknown; value: unknown };
  return typeof id === "string" ? { id, value } : null;
}
