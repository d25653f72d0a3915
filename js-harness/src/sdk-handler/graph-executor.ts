// A graph as an executor of the SDK's own handler: what a host without this package writes.

import { Part, TaskState, type Message } from "@a2a-js/sdk";
import type { AgentExecutor, ExecutionEventBus, RequestContext } from "@a2a-js/sdk/server";
import { Command } from "@langchain/langgraph";

import { readDeclaredReply } from "../engine/declared-reply.js";
import type { CompiledGraph } from "../engine/graph.js";
import { collectInterrupts } from "../engine/outcome.js";

import { dataPart, statusEvent, TaskEvents, textPart } from "./task-events.js";

/** What a graph has come to. */
export interface GraphAnswer {
  as: "artifact" | "message";
  parts: Part[];
}

export interface ExecutedGraph {
  graph: CompiledGraph;
  toInput: (message: Message) => unknown;
  /** Makes the answer to a question of a message. */
  toAnswer: (message: Message) => unknown;
  /** Default: one part, of the declared reply if there is one and of the state otherwise. */
  render?: (reply: { reply: unknown } | undefined, values: unknown) => GraphAnswer;
}

/** Runs a graph for each message, on the thread that has the context's name. */
export class GraphExecutor implements AgentExecutor {
  readonly #executed: Required<ExecutedGraph>;
  /** Also of tasks that wait for an answer: the SDK asks for a cancellation by the task's id alone. */
  readonly #contexts = new Map<string, string>();
  readonly #running = new Map<string, AbortController>();

  constructor(executed: ExecutedGraph) {
    this.#executed = { render: onePart, ...executed };
  }

  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const stop = new AbortController();
    this.#contexts.set(request.taskId, request.contextId);
    this.#running.set(request.taskId, stop);
    try {
      await this.#run(new TaskEvents(request, bus), request, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    } finally {
      this.#running.delete(request.taskId);
    }
  }

  cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    this.#running.get(taskId)?.abort();
    const contextId = this.#contexts.get(taskId) ?? "";
    bus.publish(statusEvent({ taskId, contextId }, TaskState.TASK_STATE_CANCELED));
    bus.finished();
    return Promise.resolve();
  }

  async #run(events: TaskEvents, request: RequestContext, signal: AbortSignal): Promise<void> {
    const { graph, toInput, toAnswer, render } = this.#executed;
    const { task, userMessage, contextId } = request;
    const configurable = { thread_id: contextId };
    const input = task ? new Command({ resume: toAnswer(userMessage) }) : toInput(userMessage);
    let reply: { reply: unknown } | undefined;
    // Only who renders for themselves may still answer with a message.
    if (render === onePart) events.working();
    const streamMode: ["custom", "updates"] = ["custom", "updates"];
    for await (const chunk of await graph.stream(input, { configurable, signal, streamMode })) {
      const [mode, payload] = chunk as [string, unknown];
      if (mode === "custom") reply = readDeclaredReply(payload) ?? reply;
      // Whoever answers with a message has to do it first; a task, once there, is the answer.
      if (!reply || render(reply, {}).as === "artifact") events.working();
    }
    signal.throwIfAborted();
    const snapshot = await graph.getState({ configurable });
    const questions = Object.values(collectInterrupts(snapshot)).flat();
    if (questions.length > 0) events.question(questions.map(dataPart));
    else events.answer(render(reply, snapshot.values));
  }
}

function onePart(reply: { reply: unknown } | undefined, values: unknown): GraphAnswer {
  const answer = reply ? reply.reply : values;
  return {
    as: "artifact",
    parts: [typeof answer === "string" ? textPart(answer) : dataPart(answer)],
  };
}
