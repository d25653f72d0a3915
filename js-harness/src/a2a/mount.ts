// The A2A endpoint in this server: the SDK's own transport in front, the package's adapter behind it,
// and between the two the host's services.

import { AgentCard, AGENT_CARD_PATH, type Message } from "@a2a-js/sdk";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express, { type Express } from "express";
import { agentCard, createA2AHandler, messageText, type A2AHost } from "skein-results/a2a";

import type { Host, Mount } from "../host.js";

const PATH = "/a2a";

/** The SDK's handler parses at most 100 kB and answers more with HTML, so the body is parsed first. */
const BODY_LIMIT = "50mb";

/** Which graph answers, and what it is given. */
export interface A2AAgent {
  assistantId: string;
  /** Default: the graphs of this harness, whose state is `{ value }`. */
  toInput?: (message: Message) => unknown;
}

/** Serves the graph of an assistant as an A2A agent. */
export function a2aMount(agent: A2AAgent): Mount {
  const toInput = agent.toInput ?? ((message: Message) => ({ value: messageText(message) }));
  return (app, host, url) => {
    const hosted = a2aHost(host, agent.assistantId);
    const card = cardOf(agent.assistantId, url);
    serveA2A(app, createA2AHandler({ card, hostFor: () => hosted, toInput }), card);
  };
}

/** Mounts any handler in the SDK's JSON-RPC transport. */
export function serveA2A(app: Express, requestHandler: A2ARequestHandler, card: AgentCard): void {
  // In its JSON form: security schemes do not survive the plain object.
  const provider = () => Promise.resolve(AgentCard.toJSON(card) as AgentCard);
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: provider }));
  const transport = jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication });
  app.use(PATH, express.json({ limit: BODY_LIMIT }), transport);
}

export function cardOf(assistantId: string, url: string): AgentCard {
  return agentCard({
    name: assistantId,
    description: `The graph ${assistantId} of the reference host.`,
    version: "1.0.0",
    url: `${url}${PATH}`,
  });
}

/** The host as the adapter uses it. The mark goes beside the request, where no body is read into. */
export function a2aHost(host: Host, assistantId: string): A2AHost {
  const { runs, threads } = host.services();
  return {
    runs: host.store.runs,
    threads: {
      get: (threadId) => host.store.threads.get(threadId),
      create: () => threads.create(),
    },
    start: ({ threadId, input, mark }) =>
      runs.start({ threadId, assistantId, input, multitaskStrategy: "enqueue" }, { mark }),
    wait: (runId) => runs.wait(runId),
    cancel: (runId) => runs.cancel(runId),
  };
}
