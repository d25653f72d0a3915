import type { ErrorRequestHandler, RequestHandler } from "express";

import type { Log } from "../engine/engine.js";
import { SkeinHttpError } from "../stores/contract.js";

/** What answers a path that nothing serves. */
export const notFound: RequestHandler = (request, _response, next) => {
  next(SkeinHttpError.notFound(`Nothing is served at ${request.method} ${request.path}.`));
};

/**
 * Turns an error into an answer: one that knows its status as it is, a body that could not be parsed
 * as the parser says, anything else as 500 without telling what went wrong inside.
 */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const status = statusOf(error);
    if (status >= 500) log(`${request.method} ${request.path} failed.`, error);
    if (response.headersSent) {
      next(error);
      return;
    }
    const isOurs = error instanceof SkeinHttpError || status < 500;
    const detail = isOurs && error instanceof Error ? error.message : "Internal Server Error";
    response.status(status).json({ detail, message: detail });
  };
}

function statusOf(error: unknown): number {
  const status: unknown =
    typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500;
}
