// The body of a request. The SDK's own parsers take at most 100 kB and answer more with HTML, so these
// stand before them, and have to refuse in the caller's protocol as those do.

import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";

const LIMIT = "50mb";

interface Refusal {
  /** The status over JSON-RPC, where most errors are answers. */
  rpcStatus: number;
  rpcCode: number;
  /** The status over HTTP+JSON, and its name. */
  status: number;
  name: string;
  message: string;
}

/** By the parser's own name for what is wrong. */
const REFUSALS: Partial<Record<string, Refusal>> = {
  "entity.parse.failed": {
    rpcStatus: 200,
    rpcCode: A2A_ERROR_CODE.PARSE_ERROR,
    status: 400,
    name: "INVALID_ARGUMENT",
    message: "Invalid JSON payload.",
  },
  "entity.too.large": {
    rpcStatus: 413,
    rpcCode: A2A_ERROR_CODE.INVALID_REQUEST,
    status: 413,
    name: "INVALID_ARGUMENT",
    message: `The request is larger than ${LIMIT}.`,
  },
};

const refuseRpc: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const refusal = REFUSALS[errorType(error)];
  if (!refusal) {
    next(error);
    return;
  }
  const { rpcStatus, rpcCode: code, message } = refusal;
  response.status(rpcStatus).json({ jsonrpc: "2.0", id: null, error: { code, message } });
};

const refuseRest: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const refusal = REFUSALS[errorType(error)];
  if (!refusal) {
    next(error);
    return;
  }
  const { status, name, message } = refusal;
  response.status(status).json({ error: { code: status, status: name, message, details: [] } });
};

function errorType(error: unknown): string {
  return error instanceof Error && "type" in error ? String(error.type) : "";
}

/** Parses the body of a JSON-RPC request, of up to 50 MB. */
export const jsonRpcBody: (RequestHandler | ErrorRequestHandler)[] = [
  express.json({ limit: LIMIT }),
  refuseRpc,
];

/** Parses the body of an HTTP+JSON request, of up to 50 MB. A body may be any JSON there. */
export const restBody: (RequestHandler | ErrorRequestHandler)[] = [
  express.json({ limit: LIMIT, strict: false, type: ["application/json", "application/a2a+json"] }),
  refuseRest,
];
