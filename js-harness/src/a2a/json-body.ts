// The body of a JSON-RPC request. The SDK's own parser takes at most 100 kB and answers more with HTML,
// so this one stands before it, and has to refuse in the caller's protocol as that one does.

import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";

const LIMIT = "50mb";

interface Refusal {
  status: number;
  code: number;
  message: string;
}

/** By the parser's own name for what is wrong. */
const REFUSALS: Partial<Record<string, Refusal>> = {
  "entity.parse.failed": {
    status: 200,
    code: A2A_ERROR_CODE.PARSE_ERROR,
    message: "Invalid JSON payload.",
  },
  "entity.too.large": {
    status: 413,
    code: A2A_ERROR_CODE.INVALID_REQUEST,
    message: `The request is larger than ${LIMIT}.`,
  },
};

const refuse: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const refusal = REFUSALS[errorType(error)];
  if (!refusal) {
    next(error);
    return;
  }
  const { status, code, message } = refusal;
  response.status(status).json({ jsonrpc: "2.0", id: null, error: { code, message } });
};

function errorType(error: unknown): string {
  return error instanceof Error && "type" in error ? String(error.type) : "";
}

/** Parses the body of a request, of up to 50 MB. */
export const jsonRpcBody: (RequestHandler | ErrorRequestHandler)[] = [
  express.json({ limit: LIMIT }),
  refuse,
];
