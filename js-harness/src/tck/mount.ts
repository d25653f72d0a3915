// The scripted agent in this host, mounted as any other: the SDK's transports, the package's adapter, the
// host's services. Only an answer to its question is the id of the message instead of its text.

import { AGENT_CARD_PATH, AgentCard, Message } from "@a2a-js/sdk";
import { agentCardHandler } from "@a2a-js/sdk/server/express";
import type { Express } from "express";
import { createA2AHandler } from "skein-results/a2a";

import { hangUpIn } from "../a2a/callers.js";
import { a2aHost, cardOf, serveA2A, type HostedAgent } from "../a2a/mount.js";
import type { Mount } from "../host.js";

import { scripted, scriptedAnswer, scriptedInput } from "./graph.js";

const ASSISTANT = "scripted";

/** The graphs of a host that serves it. */
export const scriptedGraphs = { [ASSISTANT]: scripted };

export const scriptedMount: Mount = (app, host, url) => {
  const card = cardOf(ASSISTANT, url);
  const handler = createA2AHandler({
    card,
    hostFor: (context) =>
      answeringById(a2aHost(host, { assistantId: ASSISTANT }, { hungUp: hangUpIn(context) })),
    toInput: scriptedInput,
  });
  serveCardAlone(app, card);
  serveA2A(app, handler, card);
};

/**
 * Serves the card of 1.0 to whoever asks for one, also without naming a version, as the kit does. To them
 * the mount answers in both forms at once, of which the kit does not know the older.
 */
export function serveCardAlone(app: Express, card: AgentCard): void {
  const agentCardProvider = () => Promise.resolve(AgentCard.toJSON(card) as AgentCard);
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider }));
}

/** The message itself stands in the mark of the run that it starts. */
function answeringById(host: HostedAgent): HostedAgent {
  return {
    ...host,
    resume: (request) => {
      const message = Message.fromJSON(JSON.parse(request.mark.message ?? "{}"));
      return host.resume({ ...request, answer: { plain: scriptedAnswer(message) } });
    },
  };
}
