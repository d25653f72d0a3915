// The A2A endpoint in this server: the SDK's own transport in front, the package's adapter behind it,
// and between the two the host's services.

import { AgentCard, AGENT_CARD_PATH, type Message } from "@a2a-js/sdk";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { legacyAgentCardRouter } from "@a2a-js/sdk/compat/v0_3/server/express";
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  type UserBuilder,
} from "@a2a-js/sdk/server/express";
import type { Express } from "express";
import {
  agentCard,
  createA2AHandler,
  messageText,
  type A2AHost,
  type HostForCaller,
} from "skein-results/a2a";

import type { Caller } from "../auth/caller.js";
import { offers } from "../auth/offers.js";
import type { RunRequest } from "../engine/run-request.js";
import type { Host, Mount } from "../host.js";

import {
  callerOf,
  callingUser,
  hangUpIn,
  requireCaller,
  tellingRefusals,
  unknownUser,
} from "./callers.js";
import { contextThreadId, contextThreads } from "./contexts.js";
import { jsonRpcBody, restBody } from "./request-body.js";

const PATH = "/a2a";
const REST_PATH = `${PATH}/rest`;

/** Which graph answers, and what it is given. */
export interface A2AAgent extends Pick<RunRequest, "interruptBefore" | "interruptAfter"> {
  assistantId: string;
  /** Default: the graphs of this harness, whose state is `{ value }`. */
  toInput?: (message: Message) => unknown;
}

/** Serves the graph of an assistant as an A2A agent, over JSON-RPC and HTTP+JSON, to 1.0 and 0.3. */
export function a2aMount(agent: A2AAgent): Mount {
  const toInput = agent.toInput ?? ((message: Message) => ({ value: messageText(message) }));
  return (app, host, url) => {
    const { authenticate } = host;
    const card = cardOf(agent.assistantId, url, authenticate !== undefined);
    const hostFor: HostForCaller = (context) => {
      if (!authenticate) return a2aHost(host, agent, { hungUp: hangUpIn(context) });
      const caller = callerOf(context);
      return tellingRefusals(a2aHost(host, agent, { caller, hungUp: hangUpIn(context) }), context);
    };
    if (authenticate) app.use(PATH, requireCaller(authenticate));
    const handler = createA2AHandler({ card, hostFor, toInput });
    serveA2A(app, handler, card, authenticate ? callingUser(authenticate) : unknownUser);
  };
}

/** Mounts any handler in the SDK's transports. The card is for everybody. */
export function serveA2A(
  app: Express,
  requestHandler: A2ARequestHandler,
  card: AgentCard,
  userBuilder: UserBuilder = unknownUser,
): void {
  const options = { requestHandler, userBuilder, legacyCompat: { enabled: true } };
  app.use(
    `/${AGENT_CARD_PATH}`,
    legacyAgentCardRouter({ agentCardProvider: () => Promise.resolve(card) }),
    agentCardHandler({ agentCardProvider: () => Promise.resolve(inJsonForm(card)) }),
  );
  app.use(REST_PATH, restBody, restHandler(options));
  app.use(PATH, jsonRpcBody, jsonRpcHandler(options));
}

/** Security schemes do not survive the plain object. */
function inJsonForm(card: AgentCard): AgentCard {
  return AgentCard.toJSON(card) as AgentCard;
}

const BEARER_TOKENS: Pick<AgentCard, "securitySchemes" | "securityRequirements"> = {
  securitySchemes: {
    bearer: {
      scheme: {
        $case: "httpAuthSecurityScheme",
        value: { description: "A token of this host.", scheme: "Bearer", bearerFormat: "" },
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
};

export function cardOf(assistantId: string, url: string, isGuarded = false): AgentCard {
  return agentCard({
    name: assistantId,
    description: `The graph ${assistantId} of the reference host.`,
    version: "1.0.0",
    url: `${url}${PATH}`,
    restUrl: `${url}${REST_PATH}`,
    legacy: true,
    streaming: true,
    ...(isGuarded ? { security: BEARER_TOKENS } : {}),
  });
}

/** Who is served: a caller or everybody, until they hang up. */
export interface Served {
  caller?: Caller;
  hungUp?: AbortSignal | undefined;
}

/** All but the list of tasks is there, whatever the store. */
export type HostedAgent = A2AHost & Required<Omit<A2AHost, "taskPage">>;

/** The host as the adapter uses it. The mark goes beside the request, where no body is read into. */
export function a2aHost(
  host: Host,
  { assistantId, interruptBefore, interruptAfter }: A2AAgent,
  { caller, hungUp }: Served = {},
): HostedAgent {
  const { runs, threads } = host.services(caller);
  const store = caller ? host.storeFor(caller) : host.store;
  const rows = store.runs;
  const asked: Omit<RunRequest, "threadId"> = {
    assistantId,
    multitaskStrategy: "enqueue",
    ...(interruptBefore ? { interruptBefore } : {}),
    ...(interruptAfter ? { interruptAfter } : {}),
  };
  return {
    runs: rows,
    ...(offers(rows, "taskPage") ? { taskPage: (query) => rows.taskPage(query) } : {}),
    threads: contextThreads(store.threads, threads, caller),
    start: ({ threadId, input, mark }) => runs.start({ ...asked, threadId, input }, { mark }),
    startOnNewThread: ({ contextId, input, mark }) => {
      const threadId = contextId === undefined ? null : contextThreadId(contextId, caller);
      return runs.start({ ...asked, threadId, ifNotExists: "create", input }, { mark });
    },
    resume: ({ runId, answer, mark }) => runs.resume({ runId, answer }, { mark }),
    wait: (runId) => runs.untilEnded(runId),
    cancel: (runId) => runs.cancel(runId),
    cancelPaused: (runId) => runs.cancelPaused(runId),
    changes: (runId) => runs.changes(runId, hungUp),
  };
}
