import { Message } from "@a2a-js/sdk";

import { malformed } from "./errors.js";
import { faultOf } from "./messages.js";

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

/** Where a task's messages belong: they say so themselves (A2A 3.4.3), also in a copied thread. */
export interface TaskPlace {
  id: string;
  contextId: string;
}

/** The last `length` of the recorded messages; the member is left out on the wire where there are none. */
export function lastMessages(
  records: readonly unknown[],
  { id, contextId }: TaskPlace,
  length = records.length,
): Message[] {
  const messages = records.flatMap(messageOf);
  const wanted = messages.slice(Math.max(0, messages.length - length));
  return wanted.map((message) => ({ ...message, contextId, taskId: id }));
}

/** What was recorded is a message of the protocol; what somebody else has put in its place is left out. */
function messageOf(record: unknown): Message[] {
  try {
    const message = Message.fromJSON(record);
    return faultOf(message) === null ? [message] : [];
  } catch {
    return [];
  }
}
