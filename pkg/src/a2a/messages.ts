import { Message, Role, type Part } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";

import { readArgument, requireText } from "../wasm/argument.js";
import { isSkeinResultsError } from "../wasm/errors.js";
import { hasEscapeThatJsonbRefuses } from "../results/jsonb.js";
import { serializeWireJson } from "../results/wire.js";

import { malformed } from "./errors.js";

/** Makes the graph's input of a message. */
export type ToInput = (message: Message) => unknown;

/** A message that a task can be made of. */
export interface AdmittedMessage {
  message: Message;
  /** Its JSON text, for the mark of the run that it starts. */
  record: string;
  /** Undefined where the client names none. */
  contextId: string | undefined;
  taskId: string | undefined;
}

/**
 * The message of a request, checked before anything is created (A2A 3.1.1, 4.1.4).
 *
 * Refused with -32602: no message, no `messageId`, no parts, a part without content, another role than
 * the user's, and what a host's store cannot hold (NUL, lone surrogates, a key `__proto__`, more than
 * 1,000 levels). That is the same for every store, so that an agent can move from one to another.
 */
export function admittedMessage(sent: Message | undefined): AdmittedMessage {
  if (!sent) throw malformed("The request has no message.");
  // A message of protocol 0.3 comes with members of any kind.
  const json = Message.toJSON(sent);
  const message = Message.fromJSON(json);
  const fault = faultOf(message);
  if (fault !== null) throw malformed(fault);
  return {
    message,
    record: storableRecord(json),
    contextId: requestedContextId(message.contextId),
    taskId: message.taskId === "" ? undefined : message.taskId,
  };
}

/** Why something is no message of a user; null for one that is. */
export function faultOf({ messageId, parts, role }: Message): string | null {
  if (messageId === "") return "The message has no messageId.";
  if (parts.length === 0) return "The message has no parts.";
  if (parts.some((part) => part.content === undefined)) {
    return "A part of the message has no content.";
  }
  return role === Role.ROLE_USER ? null : "A message to the agent has the role ROLE_USER.";
}

/**
 * The context that a request names; undefined for none.
 *
 * @throws -32602 for one that no store can look for, and for a query of HTTP+JSON that names several
 */
export function requestedContextId(contextId: unknown): string | undefined {
  if (contextId === "") return undefined;
  if (typeof contextId !== "string") throw malformed("The contextId is one text.");
  if (hasEscapeThatJsonbRefuses(JSON.stringify(contextId))) {
    throw malformed("The contextId holds NUL or half a surrogate pair, which cannot be stored.");
  }
  return contextId;
}

/**
 * The graph's input where the host says nothing else: a chat message with the texts of the message.
 *
 * @throws -32005 for a part that is a file; `invalid_argument`
 */
export function chatInput(message: Message): unknown {
  return { messages: [{ role: "user", content: messageText(message) }] };
}

/**
 * A message as text: its parts in order, a line each, with data as JSON.
 *
 * @throws -32005 for a part that is a file; `invalid_argument`
 */
export function messageText(message: Message): string {
  const parts = readArgument("message", () =>
    message.parts.map((part) => ({ text: partText(part), mediaType: part.mediaType })),
  );
  return parts
    .map(({ text, mediaType }) => {
      if (text === undefined) throw unreadablePart({ mediaType });
      return text;
    })
    .join("\n");
}

/** The text of a part; undefined for one that is a file. */
function partText({ content }: Part): string | undefined {
  switch (content?.$case) {
    case "text":
      requireText("text", content.value);
      return content.value;
    case "data":
      return serializeWireJson(content.value) ?? "null";
    default:
      return undefined;
  }
}

/** -32005 */
export function unreadablePart({ mediaType }: { mediaType: unknown }): Error {
  const kind = typeof mediaType === "string" && mediaType !== "" ? mediaType : "files";
  return new ContentTypeNotSupportedError({
    message: `This agent reads text and data, not ${kind}.`,
  });
}

function storableRecord(message: unknown): string {
  const record = jsonText(message);
  if (hasEscapeThatJsonbRefuses(record)) {
    throw malformed("The message holds NUL or half a surrogate pair, which cannot be stored.");
  }
  if (record.includes('"__proto__":')) {
    throw malformed("The message holds a key `__proto__`, which cannot be stored.");
  }
  return record;
}

function jsonText(message: unknown): string {
  try {
    return String(serializeWireJson(message));
  } catch (error) {
    if (!isSkeinResultsError(error)) throw error;
    const reason =
      error.code === "too_deep" ? "is nested deeper than 1,000 levels" : "is not plain JSON";
    throw malformed(`The message ${reason}, which cannot be stored.`, error);
  }
}
