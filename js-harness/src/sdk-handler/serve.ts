// The SDK's own handler over a task store of the SDK's, in the same transports as the package's adapter.

import type { AgentCard } from "@a2a-js/sdk";
import { DefaultRequestHandler, type TaskStore } from "@a2a-js/sdk/server";
import express, { type Express } from "express";

import { cardOf, serveA2A } from "../a2a/mount.js";
import { listen, type Listening } from "../http/listen.js";

import { GraphExecutor, type ExecutedGraph } from "./graph-executor.js";

export interface SdkAgent extends ExecutedGraph {
  name: string;
  taskStore: TaskStore;
  /** What the SDK's handler does, beyond streams, and this package's adapter does not. */
  capabilities?: Pick<NonNullable<AgentCard["capabilities"]>, "pushNotifications">;
  /** Adds routes that come first. */
  mount?: (app: Express, card: AgentCard) => void;
}

/** Serves an agent through the SDK's `DefaultRequestHandler`. */
export function serveSdkAgent(agent: SdkAgent): Promise<Listening> {
  const { name, taskStore, capabilities, mount } = agent;
  const executor = new GraphExecutor(agent);
  return listen(0, (url) => {
    const card = cardOf(name, url);
    if (card.capabilities) Object.assign(card.capabilities, capabilities);
    const app = express();
    mount?.(app, card);
    // Everything in between at its default.
    const between = [undefined, undefined, undefined, undefined, undefined] as const;
    const options = { validateInputModes: true };
    serveA2A(app, new DefaultRequestHandler(card, taskStore, executor, ...between, options), card);
    return app;
  });
}
