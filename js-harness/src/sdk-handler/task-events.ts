// The events by which an executor tells the SDK's handler of a task.

import { Role, TaskState, type Message, type Part, type Task, type TaskStatus } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutionEvent,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";

interface TaskPlace {
  taskId: string;
  contextId: string;
}

/** Tells of one execution of a task, in the order that the protocol wants. */
export class TaskEvents {
  readonly #request: RequestContext;
  readonly #bus: ExecutionEventBus;
  #isTask = false;

  constructor(request: RequestContext, bus: ExecutionEventBus) {
    this.#request = request;
    this.#bus = bus;
  }

  /** The task is there, and worked on; told once. */
  working(): void {
    if (this.#isTask) return;
    this.#isTask = true;
    this.#bus.publish(AgentEvent.task(this.#firstTask()));
    this.#status(TaskState.TASK_STATE_WORKING);
  }

  question(parts: Part[]): void {
    this.working();
    this.#status(TaskState.TASK_STATE_INPUT_REQUIRED, this.#message("question", parts));
  }

  answer({ as, parts }: { as: "artifact" | "message"; parts: Part[] }): void {
    if (as === "message" && !this.#isTask) {
      this.#bus.publish(AgentEvent.message(this.#message("message", parts)));
      return;
    }
    this.working();
    const artifact = {
      artifactId: `result-${this.#request.taskId}`,
      name: "",
      description: "",
      parts,
      metadata: undefined,
      extensions: [],
    };
    const update = { ...this.#place(), artifact, append: false, lastChunk: true };
    this.#bus.publish(AgentEvent.artifactUpdate({ ...update, metadata: undefined }));
    this.#status(TaskState.TASK_STATE_COMPLETED);
  }

  #firstTask(): Task {
    const { task, taskId, contextId, userMessage } = this.#request;
    const status = statusOf(TaskState.TASK_STATE_SUBMITTED);
    if (task) return { ...task, status };
    const none = { artifacts: [], metadata: undefined };
    return { id: taskId, contextId, status, history: [userMessage], ...none };
  }

  #status(state: TaskState, message?: Message): void {
    this.#bus.publish(statusEvent(this.#place(), state, message));
  }

  #place(): TaskPlace {
    const { taskId, contextId } = this.#request;
    return { taskId, contextId };
  }

  #message(kind: string, parts: Part[]): Message {
    return {
      ...this.#place(),
      messageId: `${kind}-${this.#request.taskId}`,
      role: Role.ROLE_AGENT,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

/** A task has taken a state. */
export function statusEvent(
  place: TaskPlace,
  state: TaskState,
  message?: Message,
): AgentExecutionEvent {
  const status = statusOf(state, message);
  return AgentEvent.statusUpdate({ ...place, status, metadata: undefined });
}

function statusOf(state: TaskState, message?: Message): TaskStatus {
  return { state, message, timestamp: new Date().toISOString() };
}

export function textPart(value: string): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" };
}

/** A null does not survive the protocol's decoding. */
export function dataPart(value: unknown): Part {
  const data: unknown = value === null ? { value: null } : value;
  return {
    content: { $case: "data", value: data },
    metadata: undefined,
    filename: "",
    mediaType: "",
  };
}
