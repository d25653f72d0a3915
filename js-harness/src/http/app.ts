// The Agent Protocol over HTTP, as far as the official LangGraph client uses it here.

import express, { Router, type Express } from "express";

import type { Log } from "../engine/engine.js";
import type { AssistantRepo } from "../stores/contract.js";

import { assistantRoutes } from "./assistant-routes.js";
import { routesForCallers, type Callers } from "./callers.js";
import { errorHandler, notFound } from "./errors.js";
import { runRoutes } from "./run-routes.js";
import type { HostServices } from "./services.js";
import { threadRoutes } from "./thread-routes.js";

const BODY_LIMIT = "50mb";

export interface AppOptions {
  assistants: AssistantRepo;
  services: HostServices;
  /** Who may call, and what is served to each; without it everybody is served everything. */
  callers?: Callers;
  log: Log;
  /** Adds routes of its own; they come first, and bring their own body parser. */
  mount?: (app: Express) => void;
}

export function createApp({ assistants, services, callers, log, mount }: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.get("/ok", (_request, response) => {
    response.json({ ok: true });
  });
  mount?.(app);
  const routes = (served: HostServices): Router => protocolRoutes(assistants, served);
  app.use(callers ? routesForCallers(callers, routes) : routes(services));
  app.use(notFound);
  app.use(errorHandler(log));
  return app;
}

function protocolRoutes(assistants: AssistantRepo, services: HostServices): Router {
  const router = Router();
  router.use(express.json({ limit: BODY_LIMIT }));
  router.use(assistantRoutes(assistants));
  router.use(threadRoutes(services.threads));
  router.use(runRoutes(services));
  return router;
}
