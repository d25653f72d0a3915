// JSON-RPC by hand, for requests that the official client does not make, and for answers to the byte.

import { A2AError, isJsonRpcError, toJsonRpcError } from "@a2a-js/sdk/errors";

export interface RpcAnswer {
  status: number;
  /** The answer to the byte. */
  text: string;
  body: { result?: unknown; error?: { code: number; message: string } };
}

/** Posts a body as it is. */
export async function post(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  const response = await fetch(`${url}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as RpcAnswer["body"] };
}

/** Calls a method. */
export function call(url: string, method: string, params: unknown): Promise<RpcAnswer> {
  return post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

/** What the official client was refused with, in whichever transport: the code is that of JSON-RPC. */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<{ code: number; message: string }> {
  try {
    await request;
  } catch (error) {
    if (isJsonRpcError(error)) return { code: error.envelopeCode, message: error.message };
    if (error instanceof A2AError) {
      return { code: toJsonRpcError(error).code, message: error.message };
    }
    throw error;
  }
  throw new Error("The request was answered, not refused.");
}
