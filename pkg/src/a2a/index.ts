/**
 * A2A tasks over an agent-protocol server's own runs.
 *
 * @example
 * ```ts
 * import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
 * import { agentCard, createA2AHandler } from "skein-results/a2a";
 *
 * const requestHandler = createA2AHandler({ card: agentCard({ ... }), hostFor: () => host });
 * app.use("/a2a", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
 * ```
 *
 * @packageDocumentation
 */

export { agentCard, type AgentDescription } from "./card.js";
export { createA2AHandler, type A2AHandlerOptions } from "./handler.js";
export type {
  A2AHost,
  A2AResume,
  A2ARuns,
  A2AStart,
  A2AStartOnNewThread,
  A2AThreads,
  HostForCaller,
} from "./host.js";
export { partsReply, type PartsReplyOptions } from "./parts-reply.js";
export { chatInput, messageText, type ToInput } from "./messages.js";
