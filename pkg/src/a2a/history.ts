import { Message } from "@a2a-js/sdk";

import { malformed } from "./errors.js";

/**
 * The wanted length of a history (A2A 3.2.4): undefined for all of it.
 *
 * @throws -32602 for anything but a whole number from 0
 */
export function historyLength(wanted: number | undefined): number | undefined {
  if (wanted === undefined) return undefined;
  if (!Number.isSafeInteger(wanted) || wanted < 0) {
    throw malformed("historyLength is a whole number from 0.");
  }
  return wanted;
}

/** The last `length` messages; the member is left out on the wire where there are none. */
export function lastMessages(messages: unknown[], length: number | undefined): Message[] {
  const wanted =
    length === undefined
      ? messages
      : messages.slice(messages.length - Math.min(length, messages.length));
  return wanted.map((message) => Message.fromJSON(message));
}
