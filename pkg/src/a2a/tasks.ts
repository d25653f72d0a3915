import { Role, TaskState, type Artifact, type Message, type Part, type Task } from "@a2a-js/sdk";

import type { TaskPart, TaskView } from "../task.js";

import { lastMessages } from "./history.js";

const STATES: Readonly<Record<TaskView["state"], TaskState>> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
};

/** A task as the SDK carries it. Everything in it comes from the run, so reading it twice is the same. */
export function protocolTask(view: TaskView, length: number | undefined): Task {
  return {
    id: view.id,
    contextId: view.contextId,
    status: { state: STATES[view.state], message: statusMessage(view), timestamp: view.timestamp },
    artifacts: view.artifact ? [artifact(view.artifact)] : [],
    history: lastMessages(view.message === null ? [] : [view.message], view, length),
    metadata: undefined,
  };
}

function artifact({ artifactId, part }: NonNullable<TaskView["artifact"]>): Artifact {
  return {
    artifactId,
    name: "",
    description: "",
    parts: [protocolPart(part)],
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
  const content: Part["content"] =
    part.kind === "text"
      ? { $case: "text", value: part.text }
      : { $case: "data", value: part.data };
  return { content, metadata: undefined, filename: "", mediaType: "" };
}
