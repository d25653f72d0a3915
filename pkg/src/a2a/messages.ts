import { Message, Role, type Part } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";

import { hasEscapeThatJsonbRefuses } from "../jsonb.js";

import { malformed } from "./errors.js";

/** Makes the graph's input of a message. */
export type ToInput = (message: Message) => unknown;

/** A message that a task can be made of. */
export interface AdmittedMessage {
  message: Message;
  /** Undefined where the client names none. */
  contextId: string | undefined;
  taskId: string | undefined;
}

/**
 * The message of a request, checked before anything is created (A2A 3.1.1, 4.1.4).
 *
 * Refused with -32602: no message, no `messageId`, no parts, a part without content, an agent's own
 * role, and text that a host's store cannot hold (NUL, lone surrogates, a key `__proto__`).
 */
export function admittedMessage(message: Message | undefined): AdmittedMessage {
  if (!message) throw malformed("The request has no message.");
  if (message.messageId === "") throw malformed("The message has no messageId.");
  if (message.parts.length === 0) throw malformed("The message has no parts.");
  if (message.parts.some((part) => part.content === undefined)) {
    throw malformed("A part of the message has no content.");
  }
  if (message.role === Role.ROLE_AGENT)
    throw malformed("A message to the agent has the role user.");
  refuseWhatCannotBeStored(message);
  return {
    message,
    contextId: message.contextId === "" ? undefined : message.contextId,
    taskId: message.taskId === "" ? undefined : message.taskId,
  };
}

/** The message as JSON text, for the mark of the run that it starts. */
export function messageRecord(message: Message): string {
  return JSON.stringify(Message.toJSON(message));
}

/**
 * The graph's input where the host says nothing else: a chat message with the texts of the message.
 *
 * @throws -32005 for a part that is a file
 */
export function chatInput(message: Message): unknown {
  const content = message.parts.map(partText).join("\n");
  return { messages: [{ role: "user", content }] };
}

/** The text of the message's text parts, a line each. */
export function messageText(message: Message): string {
  return message.parts
    .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
    .join("\n");
}

function partText({ content, mediaType }: Part): string {
  switch (content?.$case) {
    case "text":
      return content.value;
    case "data":
      return JSON.stringify(content.value);
    default:
      throw new ContentTypeNotSupportedError({
        message: `This agent reads text and data, not ${mediaType === "" ? "files" : mediaType}.`,
      });
  }
}

function refuseWhatCannotBeStored(message: Message): void {
  const text = messageRecord(message);
  if (hasEscapeThatJsonbRefuses(text)) {
    throw malformed("The message holds NUL or half a surrogate pair, which cannot be stored.");
  }
  if (text.includes('"__proto__":')) {
    throw malformed("The message holds a key `__proto__`, which cannot be stored.");
  }
}
