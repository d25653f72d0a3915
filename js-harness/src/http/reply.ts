import type { Response } from "express";
import { serializeWireJson } from "skein-results";

/** Answers with JSON, messages of LangChain in the shape that clients read. */
export function sendJson(response: Response, body: unknown, status = 200): void {
  const text = serializeWireJson(body) ?? "null";
  response.status(status).type("application/json").send(text);
}

/** Tells the client which run it has started; the SDK takes the ids from here. */
export function locateRun(response: Response, run: { thread_id: string; run_id: string }): void {
  const thread = encodeURIComponent(run.thread_id);
  response.set("Content-Location", `/threads/${thread}/runs/${encodeURIComponent(run.run_id)}`);
}
