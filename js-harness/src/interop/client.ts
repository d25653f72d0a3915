// The official client, as the tests and the gate use it.

import { Part, Role, type Message, type Task } from "@a2a-js/sdk";
import { ClientFactory, type Client } from "@a2a-js/sdk/client";

/** A client of the agent that is served at `url`. */
export function connect(url: string): Promise<Client> {
  return new ClientFactory().createFromUrl(url);
}

/** Sends a text and answers the task that it became. */
export async function send(
  client: Client,
  text: string,
  place: { contextId?: string; taskId?: string } = {},
): Promise<Task> {
  const answer = await client.sendMessage({
    tenant: "",
    message: userMessage(text, place),
    configuration: undefined,
    metadata: undefined,
  });
  if ("messageId" in answer) throw new Error("The agent answered with a message, not with a task.");
  return answer;
}

/** The parts of all artifacts of a task, in their wire form. */
export function wireParts(task: Task): unknown[] {
  return task.artifacts.flatMap((artifact) => artifact.parts.map((part) => Part.toJSON(part)));
}

/** A message as the client sends it. */
export function userMessage(
  text: string,
  place: { contextId?: string; taskId?: string } = {},
): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: place.contextId ?? "",
    taskId: place.taskId ?? "",
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
