// Requests as any client sends them, without what the official client does with the answer.

/** Calls a method and answers the text of the answer. */
export async function callForText(url: string, method: string, params: object): Promise<string> {
  const response = await fetch(`${url}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.text();
}

/** A task on the wire, as far as it is looked at here. */
export interface WireTask {
  id: string;
  contextId: string;
  status: { state: string };
  artifacts?: { parts: { data?: unknown; text?: string }[] }[];
}

/** @throws with the text of the answer where it is an error */
export async function call(url: string, method: string, params: object): Promise<unknown> {
  const text = await callForText(url, method, params);
  const { result } = JSON.parse(text) as { result?: unknown };
  if (result === undefined) throw new Error(text);
  return result;
}

/** Sends a text and answers the task, as it has ended or paused. */
export function send(url: string, text: string): Promise<WireTask> {
  return sendText(url, text, {});
}

/** Sends a text and answers the task as it is when it was admitted. */
export function sendAndGo(url: string, text: string): Promise<WireTask> {
  return sendText(url, text, { returnImmediately: true });
}

async function sendText(url: string, text: string, configuration: object): Promise<WireTask> {
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  const answer = await call(url, "SendMessage", { message, configuration });
  return (answer as { task: WireTask }).task;
}

export async function getTask(url: string, id: string): Promise<WireTask> {
  return (await call(url, "GetTask", { id })) as WireTask;
}
