// The official client, as the tests and the gate use it.

import {
  Part,
  Role,
  StreamResponse,
  TaskState,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageConfiguration,
  type Task,
} from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, type Client } from "@a2a-js/sdk/client";

/** A transport of the protocol, by its name on an agent's card. */
export type TransportName = "JSONRPC" | "HTTP+JSON";

/** A client of the agent that is served at `url`. */
export function connect(url: string, transport: TransportName = "JSONRPC"): Promise<Client> {
  const preferred = { preferredTransports: [transport] };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, preferred);
  return new ClientFactory(options).createFromUrl(url);
}

/** What a message says beside its text. */
export type MessageSettings = Partial<Message>;

/** Sends a text and answers the task that it became. */
export function send(client: Client, text: string, message: MessageSettings = {}): Promise<Task> {
  return sendMessage(client, userMessage(text, message));
}

/** Sends a text, and answers the task as it is when it was admitted. */
export function sendAndGo(
  client: Client,
  text: string,
  message: MessageSettings = {},
): Promise<Task> {
  return sendMessage(client, userMessage(text, message), { returnImmediately: true });
}

/** Sends a message with a configuration. */
export async function sendMessage(
  client: Client,
  message: Message,
  configuration: Partial<SendMessageConfiguration> = {},
): Promise<Task> {
  const answer = await client.sendMessage({
    tenant: "",
    message,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  });
  if ("messageId" in answer) throw new Error("The agent answered with a message, not with a task.");
  return answer;
}

/** Reads a task. */
export function getTask(client: Client, id: string, historyLength?: number): Promise<Task> {
  return client.getTask({
    tenant: "",
    id,
    ...(historyLength === undefined ? {} : { historyLength }),
  });
}

/** Cancels a task. */
export function cancelTask(client: Client, id: string): Promise<Task> {
  return client.cancelTask({ tenant: "", id, metadata: undefined });
}

/** Lists tasks. */
export function listTasks(
  client: Client,
  query: Partial<ListTasksRequest> = {},
): Promise<ListTasksResponse> {
  return client.listTasks({
    tenant: "",
    contextId: "",
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: "",
    statusTimestampAfter: undefined,
    ...query,
  });
}

/** The events of a stream, each in its JSON form, until it closes. */
export async function eventsOf(stream: AsyncIterable<StreamResponse>): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream) events.push(StreamResponse.toJSON(event));
  return events;
}

/** Sends a text and answers what is streamed. */
export function sendStream(
  client: Client,
  text: string,
  message: MessageSettings = {},
): AsyncGenerator<StreamResponse, void, undefined> {
  return client.sendMessageStream({
    tenant: "",
    message: userMessage(text, message),
    configuration: undefined,
    metadata: undefined,
  });
}

/** The name of a task's state. */
export function stateOf(task: Pick<Task, "status">): string {
  return TaskState[task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED].replace(
    "TASK_STATE_",
    "",
  );
}

/** The parts of all artifacts of a task, in their wire form. */
export function wireParts(task: Task): unknown[] {
  return task.artifacts.flatMap((artifact) => artifact.parts.map((part) => Part.toJSON(part)));
}

/** A message of the user, as the client sends it. */
export function userMessage(text: string, settings: MessageSettings = {}): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: [part({ $case: "text", value: text })],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...settings,
  };
}

/** A part that says nothing beside its content. */
export function part(content: Part["content"]): Part {
  return { content, metadata: undefined, filename: "", mediaType: "" };
}
