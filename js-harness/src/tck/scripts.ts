// What the compatibility kit asks of the agent under test: it names a script by how a message's id begins.

import type { Part } from "@a2a-js/sdk";

/** What the agent does with a message. */
export type Script =
  | { end: "artifact"; parts: Part[]; afterMs?: number }
  | { end: "message"; parts: Part[] }
  | { end: "question" }
  | { end: "failure"; reason: string };

/** The kit waits for twice its streaming timeout, which is two seconds. */
const LONG_RUNNING_MS = 4_000;

const FILE = { filename: "output.txt", mediaType: "text/plain" };

const SCRIPTS: Readonly<Record<string, Script>> = {
  "tck-complete-task": artifact(text("Hello from TCK")),
  "tck-artifact-text": artifact(text("Generated text content")),
  "tck-artifact-file": artifact(part({ $case: "raw", value: Buffer.from("tck") }, FILE)),
  "tck-artifact-file-url": artifact(
    part({ $case: "url", value: "https://example.com/output.txt" }, FILE),
  ),
  "tck-artifact-data": artifact(part({ $case: "data", value: { key: "value", count: 42 } })),
  "tck-message-response": { end: "message", parts: [text("Direct message response")] },
  "tck-input-required": { end: "question" },
  "tck-reject-task": { end: "failure", reason: "rejected" },
  "tck-stream-001": artifact(text("Stream hello from TCK")),
  "tck-stream-002": artifact(text("")),
  "tck-stream-003": artifact(text("Stream task lifecycle")),
  "tck-stream-ordering-001": artifact(text("Ordered output")),
  "tck-stream-artifact-text": artifact(text("Streamed text content")),
  "tck-stream-artifact-file": artifact(part({ $case: "raw", value: Buffer.from("tck") }, FILE)),
  // One answer, which the stream tells in one piece.
  "tck-stream-artifact-chunked": artifact(text("chunk-1 chunk-2")),
  "test-resubscribe-message-id": { ...artifact(text("")), afterMs: LONG_RUNNING_MS },
};

/** The script with the longest name that the id begins with; the kit's own default for any other id. */
export function scriptOf(messageId: string): Script {
  const [name] = Object.keys(SCRIPTS)
    .filter((prefix) => messageId.startsWith(prefix))
    .sort((left, right) => right.length - left.length);
  const script = name === undefined ? undefined : SCRIPTS[name];
  return script ?? artifact(text(`Unhandled messageId prefix: ${messageId}`));
}

function artifact(only: Part): Extract<Script, { end: "artifact" }> {
  return { end: "artifact", parts: [only] };
}

function text(value: string): Part {
  return part({ $case: "text", value });
}

function part(content: Part["content"], file = { filename: "", mediaType: "" }): Part {
  return { content, metadata: undefined, ...file };
}
