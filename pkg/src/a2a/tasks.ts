import {
  Part,
  Role,
  TaskState,
  type Artifact,
  type Message,
  type Task,
  type TaskStatus,
} from "@a2a-js/sdk";

import type { TaskPart, TaskView } from "../tasks/view.js";

import { lastMessages } from "./history.js";

const STATES: Readonly<Record<TaskView["state"], TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
};

/** The state of a view that a caller asks for; undefined for one that no task here is ever in. */
export function stateOfProtocol(state: TaskState): TaskView["state"] | undefined {
  const states = Object.keys(STATES) as TaskView["state"][];
  return states.find((own) => STATES[own] === state);
}

/** Whether nothing more happens to a task by itself: it has ended, or it waits for an answer. */
export function isAtRest(view: TaskView): boolean {
  return view.state !== "submitted" && view.state !== "working";
}

/** A task as the SDK carries it. Everything in it comes from the run, so reading it twice is the same. */
export function protocolTask(view: TaskView, length: number | undefined): Task {
  return {
    id: view.id,
    contextId: view.contextId,
    status: protocolStatus(view),
    artifacts: view.artifact ? [artifact(view.artifact)] : [],
    history: lastMessages(view.messages, view, length),
    metadata: undefined,
  };
}

/** The status of a task. */
export function protocolStatus(view: TaskView): TaskStatus {
  return { state: STATES[view.state], message: statusMessage(view), timestamp: view.timestamp };
}

/** The answer of a completed task as a message, where its graph has declared it so; null for a task. */
export function directMessage(view: TaskView): Message | null {
  if (view.artifact?.as !== "message") return null;
  return agentMessage(view, `message-${view.id}`, view.artifact.parts);
}

/** The answer of a completed task. */
export function artifact({
  artifactId,
  parts,
}: Pick<NonNullable<TaskView["artifact"]>, "artifactId" | "parts">): Artifact {
  return {
    artifactId,
    name: "",
    description: "",
    parts: parts.map(protocolPart),
    metadata: undefined,
    extensions: [],
  };
}

/** The questions of a paused task, or why a failed one failed. */
function statusMessage(view: TaskView): Message | undefined {
  if (view.question) return agentMessage(view, view.question.messageId, view.question.parts);
  if (view.failure === null) return undefined;
  return agentMessage(view, `failure-${view.id}`, [{ kind: "text", text: view.failure }]);
}

function agentMessage(view: TaskView, messageId: string, parts: TaskPart[]): Message {
  return {
    messageId,
    contextId: view.contextId,
    taskId: view.id,
    role: Role.ROLE_AGENT,
    parts: parts.map(protocolPart),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function protocolPart(part: TaskPart): Part {
  if (part.kind === "wire") return Part.fromJSON(part.part);
  const content: Part["content"] =
    part.kind === "text"
      ? { $case: "text", value: part.text }
      : { $case: "data", value: part.data };
  return { content, metadata: undefined, filename: "", mediaType: "" };
}
