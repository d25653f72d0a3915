// A graph's own answer for whoever started the run, declared on the custom stream. It is a message
// about the run and not part of its state, so no reducer and no checkpoint carries it.

/** The key under which a graph declares its reply. */
export const DECLARED_REPLY_KEY = "$skein_reply";

/**
 * Declares the reply of a run, from inside a node. The last one wins: a run has one answer.
 *
 * @example
 * ```ts
 * const node = (state: State, config: LangGraphRunnableConfig) => {
 *   config.writer?.(replyWith("Your order ships on Tuesday."));
 *   return {};
 * };
 * ```
 */
export function replyWith(reply: unknown): Record<string, unknown> {
  return { [DECLARED_REPLY_KEY]: reply };
}

/** The reply that a chunk of the custom stream declares; undefined for any other chunk. */
export function readDeclaredReply(chunk: unknown): { reply: unknown } | undefined {
  if (typeof chunk !== "object" || chunk === null) return undefined;
  if (!Object.hasOwn(chunk, DECLARED_REPLY_KEY)) return undefined;
  return { reply: (chunk as Record<string, unknown>)[DECLARED_REPLY_KEY] };
}
