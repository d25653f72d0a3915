// Who a request is from. What is served to a caller knows nothing of the others.

import type { RequestHandler, Router } from "express";

import { bearerToken, type Authenticate, type Caller } from "../auth/caller.js";
import { SkeinHttpError } from "../stores/contract.js";

import type { HostServices } from "./services.js";

export interface Callers {
  authenticate: Authenticate;
  servicesFor: (caller: Caller) => HostServices;
}

/** Serves each caller with routes over services of their own; anybody else gets 401. */
export function routesForCallers(
  { authenticate, servicesFor }: Callers,
  routesOver: (services: HostServices) => Router,
): RequestHandler {
  const routes = new WeakMap<Caller, Router>();
  return (request, response, next) => {
    const caller = authenticate(bearerToken(request.get("authorization")));
    if (!caller) {
      response.set("WWW-Authenticate", "Bearer");
      throw SkeinHttpError.unauthorized("A bearer token of a known caller is needed.");
    }
    let own = routes.get(caller);
    if (!own) {
      own = routesOver(servicesFor(caller));
      routes.set(caller, own);
    }
    own(request, response, next);
  };
}
