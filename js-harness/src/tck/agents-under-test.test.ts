// The agents that the kit meets say the same, whichever handler and store they have.

import { Message, Role, Task, type Part } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  connect,
  eventsOf,
  getTask,
  part,
  sendMessage,
  sendStream,
  stateOf,
  userMessage,
  wireParts,
} from "../interop/client.js";

import { hosts, sdk } from "./agents-under-test.js";

const ANSWERS: [script: string, parts: unknown[]][] = [
  ["tck-complete-task", [{ text: "Hello from TCK" }]],
  ["tck-artifact-text", [{ text: "Generated text content" }]],
  ["tck-artifact-file", [{ raw: "dGNr", filename: "output.txt", mediaType: "text/plain" }]],
  [
    "tck-artifact-file-url",
    [{ url: "https://example.com/output.txt", filename: "output.txt", mediaType: "text/plain" }],
  ],
  ["tck-artifact-data", [{ data: { key: "value", count: 42 } }]],
  ["tck-something-else", [{ text: "Unhandled messageId prefix: tck-something-else" }]],
];

describe.each([...hosts, sdk])("the scripted agent of $sut on $store", (agent) => {
  let client: Client;
  let letGo: () => void;
  let served: Promise<void>;
  beforeAll(async () => {
    const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
    const url = await new Promise<string>((resolve, reject) => {
      served = agent.serve((at) => {
        resolve(at);
        return isLetGo;
      });
      served.catch(reject);
    });
    client = await connect(url);
  });
  afterAll(async () => {
    letGo();
    await served;
  });

  const sent = (messageId: string, settings: Partial<Message> = {}): Promise<Task> =>
    sendMessage(client, userMessage("Do it.", { messageId, ...settings }));

  it.each(ANSWERS)("answers %s with the parts of its script", async (messageId, parts) => {
    const { id } = await sent(messageId);

    const task = await getTask(client, id);
    expect(stateOf(task)).toBe("COMPLETED");
    expect(wireParts(task)).toEqual(parts);
  });

  it("answers with a message where the script says so", async () => {
    const message = userMessage("Do it.", { messageId: "tck-message-response" });
    const answer = await client.sendMessage({
      tenant: "",
      message,
      configuration: undefined,
      metadata: undefined,
    });

    expect("messageId" in answer).toBe(true);
    expect(Message.toJSON(answer as Message)).toMatchObject({
      role: "ROLE_AGENT",
      parts: [{ text: "Direct message response" }],
    });
  });

  it("asks as often as it is told to, and keeps every message of the user", async () => {
    const asking = await sent("tck-input-required-1");
    const again = await sent("tck-input-required-2", { taskId: asking.id });
    const ended = await sent("tck-complete-task-3", { taskId: asking.id });

    expect([asking, again, ended].map(stateOf)).toEqual([
      "INPUT_REQUIRED",
      "INPUT_REQUIRED",
      "COMPLETED",
    ]);
    const said = ended.history.filter(({ role }) => role === Role.ROLE_USER);
    expect(said.map(({ messageId }) => messageId)).toEqual([
      "tck-input-required-1",
      "tck-input-required-2",
      "tck-complete-task-3",
    ]);
  });

  it("fails where the script fails", async () => {
    const task = await sent("tck-reject-task");

    expect(stateOf(task)).toBe("FAILED");
    expect(JSON.stringify(Task.toJSON(task))).toContain("rejected");
  });

  it("streams the task, its artifact and its end", async () => {
    const events = await eventsOf(sendStream(client, "Do it.", { messageId: "tck-stream-001" }));

    const kinds = events.map((event) => Object.keys(event as object)[0]);
    expect(kinds[0]).toBe("task");
    expect(kinds.slice(-2)).toEqual(["artifactUpdate", "statusUpdate"]);
    expect(events.at(-1)).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } },
    });
  });

  it("refuses a medium that its card does not name", async () => {
    const file: Part = { ...part({ $case: "raw", value: Buffer.from("x") }), mediaType: "x/y" };
    const refused = sent("tck-complete-task", { parts: [file] });

    await expect(refused).rejects.toThrow("x/y");
  });
});
