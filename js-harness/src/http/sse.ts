// A run's frames as server-sent events.

import { once } from "node:events";

import type { Response } from "express";
import { serializeWireJson } from "skein-results";

import type { RunFrame } from "../engine/event-bus.js";
import { toRunError } from "../engine/run-error.js";
import type { RunStatus } from "../stores/contract.js";

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;

/**
 * Writes the frames as they come and then how the run ended. A reader that is slow is waited for, and
 * one that has gone ends the stream.
 *
 * @param endStatus the run's status once its frames have ended; null when the run is gone
 */
export async function sendFrames(
  response: Response,
  frames: AsyncIterable<RunFrame>,
  endStatus: () => Promise<RunStatus | null>,
): Promise<void> {
  response.status(200).set({
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    Connection: "keep-alive",
  });
  response.flushHeaders();
  const heartbeat = setInterval(() => response.write(": heartbeat\n\n"), HEARTBEAT_MS);
  try {
    let failed = false;
    for await (const frame of frames) {
      failed ||= frame.event === "error";
      await write(response, encodeFrame(frame));
    }
    // The error frame of a failed run has ended the stream already.
    if (!failed && !response.destroyed) await write(response, encodeEnd(await endStatus()));
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** Where a reader goes on that has read up to the event with this id. */
export function framesReadBy(lastEventId: string | undefined): number {
  const read = Number(lastEventId);
  return Number.isSafeInteger(read) && read > 0 ? read : 0;
}

/** A frame that JSON cannot carry is told as an error, and the stream goes on. */
function encodeFrame({ seq, event, data }: RunFrame): string {
  try {
    return `id: ${seq}\nevent: ${event}\ndata: ${serializeWireJson(data) ?? "null"}\n\n`;
  } catch (error) {
    return `id: ${seq}\nevent: error\ndata: ${JSON.stringify(toRunError(error))}\n\n`;
  }
}

function encodeEnd(status: RunStatus | null): string {
  const event = status === "error" || status === "timeout" ? "error" : "end";
  return `event: ${event}\ndata: ${JSON.stringify({ status })}\n\n`;
}

async function write(response: Response, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return;
  await Promise.race([once(response, "drain"), once(response, "close")]);
}
