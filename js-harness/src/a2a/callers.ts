// Who a request of the A2A endpoint is from, and what the endpoint is for them.

import { RequestMalformedError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { ServerCallContext, User } from "@a2a-js/sdk/server";
import type { UserBuilder } from "@a2a-js/sdk/server/express";
import type { RequestHandler } from "express";

import { bearerToken, type Authenticate, type Caller } from "../auth/caller.js";
import { SkeinHttpError } from "../stores/contract.js";

import type { HostedAgent } from "./mount.js";

/** A caller as the SDK carries it along. */
export class CallingUser implements User {
  readonly isAuthenticated = true;
  readonly caller: Caller;
  /** Aborts when the caller has hung up. */
  readonly hungUp: AbortSignal;

  constructor(caller: Caller, hungUp: AbortSignal) {
    this.caller = caller;
    this.hungUp = hungUp;
  }

  get userName(): string {
    return this.caller.user;
  }
}

/** Somebody of whom nothing is known but the connection. */
export class UnknownUser implements User {
  readonly isAuthenticated = false;
  readonly userName = "";
  readonly hungUp: AbortSignal;

  constructor(hungUp: AbortSignal) {
    this.hungUp = hungUp;
  }
}

/** Makes a user of every request, where everybody may do everything. */
export const unknownUser: UserBuilder = (request) =>
  Promise.resolve(new UnknownUser(hangUpOf(request)));

/** The SDK goes on with a stream whose reader has gone; what feeds it has to notice. */
function hangUpOf({ res }: Parameters<UserBuilder>[0]): AbortSignal {
  const hungUp = new AbortController();
  res?.once("close", () => hungUp.abort());
  return hungUp.signal;
}

/** When the reader of an answer has gone. */
export function hangUpIn({ user }: ServerCallContext): AbortSignal | undefined {
  return user instanceof CallingUser || user instanceof UnknownUser ? user.hungUp : undefined;
}

/** Refuses whoever is not recognised, with 401 before the protocol begins. */
export function requireCaller(authenticate: Authenticate): RequestHandler {
  return (request, response, next) => {
    if (authenticate(bearerToken(request.get("authorization")))) {
      next();
      return;
    }
    response.status(401).set("WWW-Authenticate", "Bearer").json({ detail: "Unauthorized" });
  };
}

/** Makes the SDK's user of a request's token. */
export function callingUser(authenticate: Authenticate): UserBuilder {
  return (request) => {
    const caller = authenticate(bearerToken(request.get("authorization")));
    // `requireCaller` stands before this; whatever gets here without a caller gets no further.
    if (!caller) return Promise.reject(SkeinHttpError.unauthorized("No caller was recognised."));
    return Promise.resolve(new CallingUser(caller, hangUpOf(request)));
  };
}

/**
 * The caller of a request. One who names the tenant of somebody else is scoped to that tenant with
 * nothing of their own in it, and may not write there: whatever they ask for is unknown.
 *
 * @throws for a context that no caller was put into
 */
export function callerOf({ user, tenant }: ServerCallContext): Caller {
  if (!(user instanceof CallingUser)) throw SkeinHttpError.unauthorized("There is no caller.");
  const { caller } = user;
  // Over JSON-RPC it is whatever the request holds.
  const named: unknown = tenant;
  if (!named || named === caller.tenant) return caller;
  // Who has the same name there is somebody else. No row holds NUL, so nothing is this user's.
  return {
    tenant: typeof named === "string" ? named : "",
    user: `${caller.user}\0`,
    access: "read",
  };
}

/** Tells in the protocol's own words what a caller may not do. */
export function tellingRefusals(host: HostedAgent, { user }: ServerCallContext): HostedAgent {
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SkeinHttpError && error.status === 403)) throw error;
      const isReader = user instanceof CallingUser && user.caller.access === "read";
      throw isReader
        ? new UnsupportedOperationError({ message: error.message, cause: error })
        : new RequestMalformedError({ message: "There is no such tenant.", cause: error });
    }
  };
  return {
    ...host,
    threads: { ...host.threads, create: (contextId) => told(host.threads.create(contextId)) },
    start: (request) => told(host.start(request)),
    startOnNewThread: (request) => told(host.startOnNewThread(request)),
    resume: (request) => told(host.resume(request)),
    cancel: (runId) => told(host.cancel(runId)),
    cancelPaused: (runId) => told(host.cancelPaused(runId)),
  };
}
