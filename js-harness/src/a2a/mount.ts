// The A2A endpoint in this server: the SDK's own transport in front, the package's adapter behind it,
// and between the two the host's services.

import { AgentCard, AGENT_CARD_PATH, type Message } from "@a2a-js/sdk";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import type { Express } from "express";
import {
  agentCard,
  createA2AHandler,
  messageText,
  type A2AHost,
  type HostForCaller,
} from "skein-results/a2a";

import type { Caller } from "../auth/caller.js";
import type { Host, Mount } from "../host.js";

import { callerOf, callingUser, requireCaller, tellingRefusals } from "./callers.js";
import { jsonRpcBody } from "./json-body.js";

const PATH = "/a2a";

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
    const { assistantId } = agent;
    const { authenticate } = host;
    const card = cardOf(assistantId, url);
    if (!authenticate) {
      const hosted = a2aHost(host, assistantId);
      serveA2A(app, createA2AHandler({ card, hostFor: () => hosted, toInput }), card);
      return;
    }
    const hostFor: HostForCaller = (context) =>
      tellingRefusals(a2aHost(host, assistantId, callerOf(context)), context);
    app.use(PATH, requireCaller(authenticate));
    const handler = createA2AHandler({ card, hostFor, toInput });
    serveA2A(app, handler, card, callingUser(authenticate));
  };
}

/** Mounts any handler in the SDK's JSON-RPC transport. The card is for everybody. */
export function serveA2A(
  app: Express,
  requestHandler: A2ARequestHandler,
  card: AgentCard,
  userBuilder: UserBuilder = UserBuilder.noAuthentication,
): void {
  // In its JSON form: security schemes do not survive the plain object.
  const provider = () => Promise.resolve(AgentCard.toJSON(card) as AgentCard);
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: provider }));
  app.use(PATH, jsonRpcBody, jsonRpcHandler({ requestHandler, userBuilder }));
}

export function cardOf(assistantId: string, url: string): AgentCard {
  return agentCard({
    name: assistantId,
    description: `The graph ${assistantId} of the reference host.`,
    version: "1.0.0",
    url: `${url}${PATH}`,
  });
}

/** The host as the adapter uses it, for a caller or for everybody. The mark goes beside the request, where no body is read into. */
export function a2aHost(host: Host, assistantId: string, caller?: Caller): A2AHost {
  const { runs, threads } = host.services(caller);
  const store = caller ? host.storeFor(caller) : host.store;
  return {
    runs: store.runs,
    threads: {
      get: (threadId) => store.threads.get(threadId),
      create: () => threads.create(),
    },
    start: ({ threadId, input, mark }) =>
      runs.start({ threadId, assistantId, input, multitaskStrategy: "enqueue" }, { mark }),
    wait: (runId) => runs.wait(runId),
    cancel: (runId) => runs.cancel(runId),
  };
}
